"""Whose fault an error is, over phrasings of many harnesses, providers and sandboxes."""

import pytest

from schemas.reasons import Termination
from transforms.formats.endings import ending_of

MACHINERY = """\
UserSimulatorError: bad
Temporary failure in name resolution
The server had an error while processing your request
Failed to pull image
ErrImagePull
ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
ray.exceptions.WorkerCrashedError: The worker died unexpectedly
ray.exceptions.NodeDiedError
ray.exceptions.RayActorError: The actor died
ray.exceptions.ObjectLostError: object lost
EngineDeadError
vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue
AsyncEngineDeadError: Background loop has errored already.
verification harness crashed
spot_interruption
spot instance interrupted
preempted
node_preempted
Node was drained
The node was low on resource: memory. Pod evicted
pod evicted
PodEvicted
kubernetes.client.exceptions.ApiException: (500)
Reason: Internal error occurred: failed calling webhook
modal.exception.SandboxTimeoutError
modal.exception.InternalFailure: something
modal.exception.FunctionTimeoutError
e2b.exceptions.SandboxException: The sandbox was not found
e2b.exceptions.TimeoutException
daytona_sdk.DaytonaError: Failed to create sandbox
daytona.common.errors.DaytonaError: gone
docker.errors.APIError: 500 Server Error
docker.errors.ImageNotFound
Cannot connect to the Docker daemon at unix:///var/run/docker.sock
Error response from daemon: no such container
failed to create shim task: OCI runtime create failed
manifest for org/image:tag not found: manifest unknown
toomanyrequests: You have reached your pull rate limit
CUDA error: device-side assert triggered
RuntimeError: CUDA error: an illegal memory access was encountered
RuntimeError: NCCL communicator was aborted on rank 3
torch.distributed.DistBackendError: NCCL error
torch.cuda.OutOfMemoryError
cublas runtime error
Watchdog caught collective operation timeout
socket.gaierror: [Errno -3] Temporary failure in name resolution
gaierror: [Errno -2] Name or service not known
Could not resolve host: api.example.com
getaddrinfo EAI_AGAIN api.example.com
aiohttp.client_exceptions.ServerDisconnectedError: Server disconnected
aiohttp.client_exceptions.ClientConnectorError: Cannot connect to host
aiohttp.ClientPayloadError: Response payload is not completed
httpx.RemoteProtocolError: peer closed connection
socket hang up
BrokenPipeError: [Errno 32] Broken pipe
ssl.SSLError: [SSL: CERTIFICATE_VERIFY_FAILED]
TLS handshake timeout
no healthy upstream
upstream connect error or disconnect/reset before headers
Max retries exceeded with url: /v1/chat/completions
anthropic.InternalServerError: Overloaded
overloaded_error
anthropic.APIStatusError: {'type': 'error', 'error': {'type': 'overloaded_error'}}
The model is currently overloaded
That model is currently overloaded with other requests
The engine is currently overloaded, please try again later
Service temporarily unavailable
server_error
internal_error
502 Bad Gateway
HTTP 503
status=504
Request failed with status code 529
google.api_core.exceptions.ResourceExhausted: 429 Quota exceeded
google.api_core.exceptions.DeadlineExceeded: 504
google.genai.errors.ServerError: 503 UNAVAILABLE
botocore.exceptions.EndpointConnectionError
botocore.errorfactory.ThrottlingException: Too many tokens
ThrottlingException
ModelNotReadyException
grpc._channel._InactiveRpcError: StatusCode.UNAVAILABLE
failed to clone environment repository
environment setup failed
EnvironmentSetupError: pip failed
environment failed to start
failed to start the sandbox
sandbox creation failed
Sandbox was killed by the host
runtime_crashed
AgentRuntimeTimeoutError: Runtime failed to start
AgentRuntimeDisconnectedError
RuntimeUnavailableError
container exited with code 137
OOM-killed by the host
host out of memory
host disk full
No space left on device
reward model timed out
reward server unreachable
RewardServerError
judge failed to respond
JudgeTimeoutError
grader timeout
scorer crashed
evaluation harness failed
test harness error
VerifierRuntimeError: exit 137
verifier process died
evaluation server unavailable
inference server crashed
SGLang server is not healthy
vLLM worker died
tokenizer service unavailable
engine crashed
model endpoint unreachable
LLM endpoint returned 500
worker lost
worker_lost
worker node lost
node failure
NodeFailure
slurmstepd: error: *** JOB CANCELLED DUE TO NODE FAILURE ***
machine preempted by scheduler
instance reclaimed
gpu fell off the bus
hardware failure
infrastructure failure
infra failure
quota exceeded for project
billing hard limit reached
insufficient_quota
invalid api key
Incorrect API key provided
authentication_error
credit balance is too low
Connection reset by peer
connection aborted
tunnel closed
websocket connection closed
websockets.exceptions.ConnectionClosedError: no close frame received
MCP server disconnected
tool server unavailable
ToolServerError
browser service unavailable
network unreachable
Network is unreachable
network error
request timed out while contacting the model
LLM call timed out
model request timeout
litellm.APIConnectionError: gone
tenacity.RetryError: RetryError[<Future raised RateLimitError>]
harness bug
orchestrator error
dispatcher timeout
scheduler error
checkpoint server down
workspace provisioning failed
VM failed to boot
vm_crashed
snapshot restore failed
image build failed
ImageBuildError
env_server_error
EnvServerError
environment server crashed
agent install failed
AgentInstallError
Sandbox process exited unexpectedly
could not schedule pod: insufficient cpu
Unable to start container for task
evaluator timed out after 1800s
the verifier did not produce a reward file
reward function raised an exception
reward computation failed
ProviderOverloaded
model provider returned an error
LLM provider unavailable
OpenRouter: Provider returned error
AnthropicError: connection error
upstream_error
RateLimited
rate limited by provider
too_many_requests
internal_server_error
ServerOverloaded
server is overloaded
engine_overloaded
vLLM server not responding
vllm engine process failed to start
SGLang router: no available workers
Ray worker crashed
ray_actor_dead
raylet died
GPU OOM
gpu_failure
XID 79 error on GPU 3
ECONNRESET reading from model
read ECONNRESET
ETIMEDOUT
dns_failure
dns lookup failed
proxy authentication required
SSL handshake failed
host unreachable
cluster unavailable
kubectl exec failed: pod not found
docker compose up failed
docker build failed
image_not_found
registry unavailable
failed to download the dataset image
environment_setup_timeout
env_setup_failed
env init failed
EnvironmentNotReady
workspace_setup_failed
tmux session died
terminal session lost
TmuxSessionDied
browser crashed
playwright browser disconnected
MCPConnectionError
tool_server_timeout
node_lost
vm_preempted
spot_reclaimed
job_preempted
job cancelled by scheduler
infra_timeout
infrastructure_failure
harness_timeout
harness_exception
orchestrator_failure
grading_error
grading failed
grading_timeout
scoring_error
scoring service down
judge_error
JudgeError: rate limit
LLM judge returned invalid JSON
judge_parse_failure
verification_timeout
verify_error
unit test runner crashed
test_runner_error
test infrastructure error
simulated_user_failure
user_simulation_timeout
UserLLMError
user LLM timed out
setup_error
setup_failed
setup_timeout
bootstrap_failed
agent_setup_failed
agent container OOMKilled
disk_full
out_of_disk
storage quota exceeded
S3 upload failed
artifact upload failed
log collection failed
heartbeat lost
lease expired
api_unavailable
api_overloaded
auth_error
AuthError: token expired
credits exhausted
spend limit reached
NCCLTimeout
CUDAError
DeviceLost
"""
SIMULATOR = """\
user simulator failed
UserSimulatorError: bad
UserSimulationError
user_simulator_timeout
simulated user crashed
user model error
user simulator returned an empty message
user_sim_error
UserModelError: 500
simulator failed
user simulation failed
"""
POLICY = """\
AssertionError: expected 500 got 200
tests failed
npm install failed
command timed out after 30 seconds
CommandTimeoutError
swerex.exceptions.CommandTimeoutError: ls
swerex.exceptions.BashIncorrectSyntaxError
agent produced an invalid action
ValueError: could not parse the model's answer
json.decoder.JSONDecodeError: Expecting value
FormatError
FunctionCallFormatError
FunctionCallValidationError
AgentStuckInLoopError: Agent got stuck in a loop
AgentThinkActionError
LLMMalformedActionError
LLMNoActionError
LLMResponseError
patch does not apply
patch failed to apply
wrong answer
incorrect
no patch
empty patch
task failed
failed to solve the task
tool call failed
unknown tool
tool not found: foo
invalid arguments for tool search
KeyError: 'x'
FileNotFoundError: [Errno 2] No such file or directory: 'a.py'
ModuleNotFoundError: No module named 'numpy'
SyntaxError: invalid syntax
IndentationError: unexpected indent
RecursionError: maximum recursion depth exceeded
ZeroDivisionError
agent gave an empty answer
agent exceeded the number of retries
too many invalid actions
repeated action
agent deleted the tests
user asked to stop
user got annoyed
the user cancelled the order
transfer to human agents
user goal not satisfied
reward is 0
low score
score below threshold
rewardhacking detected
RewardHackingError
agent tampered with the grader
agent killed the server process
agent wrote outside the workspace
build failed
compilation failed
make: *** [all] Error 1
pytest exited with code 1
tests timed out
test suite failed
lint errors
merge conflict
git push failed
segmentation fault in a.out
subprocess.CalledProcessError: Command 'make' returned non-zero exit status 2.
openai.BadRequestError: Error code: 400
the page was not found
element not found
click failed
selector timeout
search returned no results
answer too long
max retries for parsing the answer exceeded
no tool call in the answer
invalid json in tool arguments
hallucinated tool
policy refused
content policy violation
agent asked the user too often
agent crashed the app
app crashed
server returned 404
unit tests failed
lint failed
agent ended without submitting
empty response from the agent
agent refused
max retries reached
wrong format
agent looped
action not allowed
permission denied
invalid json
bad tool arguments
no submission
solution timed out
solution exceeded the time limit
runtime error
RuntimeError: dictionary changed size during iteration
RuntimeError: Expected all tensors to be on the same device
TimeoutError
time limit exceeded
memory limit exceeded
output limit exceeded
presentation error
compile error
exit code 1
exit status 2
command not found
killed by agent
user declined
customer hung up
goal not reached
node: command not found
node script failed
docker-compose.yml is wrong
worker.py raised KeyError
judge: wrong answer
judged incorrect
grader: 3 of 10 passed
"""


def endings_of(line):
    """Return how a line is judged as an error, as an exit word, and told as class and message."""
    kind, _, message = line.partition(": ")
    return ending_of(None, error=line), ending_of(line), ending_of("error", error={"type": kind, "message": message})


def test_faults_of_the_machinery_are_no_failures_of_the_policy():
    lines = MACHINERY.splitlines()
    assert [line for line in lines if any(ending.reward_valid for ending in endings_of(line))] == []


def test_faults_of_the_simulated_user_are_no_failures_of_the_policy():
    assert {ending.termination for line in SIMULATOR.splitlines() for ending in endings_of(line)} == {
        Termination.USER_ERROR
    }


def test_what_the_agent_or_its_task_did_stays_the_policys_own():
    lines = POLICY.splitlines()
    assert [line for line in lines if not all(ending.reward_valid for ending in endings_of(line))] == []


@pytest.mark.parametrize("text", ["AssertionError: flight simulator failed", "ValueError: the judge crashed"])
def test_what_a_program_says_of_its_own_error_is_no_witness(text):
    assert all(ending.reward_valid for ending in endings_of(text))


def test_long_hostile_errors_are_judged_at_once():
    assert ending_of(None, error="fail " * 1_000_000 + "sandbox").termination is Termination.AGENT_ERROR
