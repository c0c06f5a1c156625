"""Whose fault an error is, over phrasings of many harnesses, providers and sandboxes."""

import pytest

from schemas.reasons import Termination
from transforms.formats.endings import ending_of

MACHINERY = """\
Failed to pull image "ghcr.io/org/task:1": rpc error: code = NotFound
ImagePullBackOff
EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.
node drained
CUDA error: an illegal memory access was encountered
[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=11)
You exceeded your current quota, please check your plan and billing details.
Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}
litellm.RateLimitError: AnthropicException - rate_limit_error
litellm.Timeout: APITimeoutError - Request timed out.
openai.APIConnectionError: Connection error.
anthropic.OverloadedError: Overloaded
google.api_core.exceptions.ResourceExhausted: 429 Resource has been exhausted
botocore.errorfactory.ThrottlingException: Too many requests, please wait before trying again.
httpx.ConnectError: All connection attempts failed
requests.exceptions.ConnectionError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))
Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?
docker.errors.ImageNotFound: 404 Client Error
Error response from daemon: No such container: 5f3a
OSError: [Errno 28] No space left on device: '/var/lib/docker/overlay2'
Failed to clone task repository
e2b.exceptions.SandboxException: sandbox not found
DaytonaError: Failed to create sandbox: quota exceeded
kubernetes.client.exceptions.ApiException: (403) Reason: Forbidden
pod failed to start: CrashLoopBackOff
vllm.engine.async_llm_engine.AsyncEngineDeadError: Background loop has errored already.
sglang scheduler hit an exception
verifier timed out
RewardModelError: judge returned no score
VerifierTimeoutError: Verifier execution timed out after 600 seconds
EnvironmentStartTimeoutError: Environment start timed out after 600.0 seconds
RewardFileNotFoundError: No reward file found at /logs/verifier/reward.txt
AddTestsDirError: Failed to add tests directory to environment.
exit_api
swerex.exceptions.DeploymentNotStartedError
swerex.exceptions.SwerexException: remote runtime died
AgentRuntimeDisconnectedError: Failed to connect to runtime
AgentRuntimeUnavailableError: Runtime container stopped
STATUS$ERROR_LLM_SERVICE_UNAVAILABLE
STATUS$ERROR_LLM_OUT_OF_CREDITS
STATUS$ERROR_RUNTIME_DISCONNECTED
LLMNoResponseError: LLM did not return a response. This is only seen in Gemini models so far.
vf.SandboxError: sandbox creation failed
ModelError -> APIConnectionError('Connection error.')
SandboxOOMError
ray.exceptions.RayActorError: The actor died because its node has died.
ray.exceptions.GetTimeoutError: Get timed out: some object(s) not ready.
Slurm job cancelled due to node failure
node_failure
env_init_failed
reward_timeout
grading_failed
evaluation_timeout
provider_overloaded
rate_limited
quota_exceeded
sandbox_crashed
container_died
runtime_disconnected
connection_lost
rollout_worker_crashed
engine_crash
installation_failed
nemo_gym.server_utils.ServerError: resources server returned 500
model server returned HTTP 502
K8sError: Error initializing pod
Failed to start tmux session in container
SSL: CERTIFICATE_VERIFY_FAILED while connecting to api.openai.com
connect ECONNREFUSED 127.0.0.1:11434
stream disconnected before completion: error sending request for url
Credit balance is too low
Your account is not active, please check your billing details
The model is temporarily unavailable
host machine ran out of memory
MCP environment server crashed during reset
env.reset() timed out
Test harness could not be installed
BuildImageError: Error building image sweb.eval.x86_64.django
ProvisioningError: could not allocate machine
LambdaLabs instance terminated
grader container OOMKilled
Judge LLM returned malformed JSON
vertexai.ServiceUnavailable: 503
litellm.APIError: OpenrouterException
litellm.BadGatewayError
litellm.AuthenticationError: invalid x-api-key
Anthropic API error: overloaded
openai.PermissionDeniedError: Country not supported
Connection closed by remote host
ssh: connect to host 10.1.1.1 port 22: Connection timed out
rollout worker died with SIGKILL
NFS stale file handle
EnvironmentNotReadyError
EnvironmentCreationError
sandbox_init_failure
SandboxCreateTimeout
runloop_api_client.InternalServerError
runtime container died
HTTP 504 from model endpoint
vLLM server crashed
weight sync failed
vllm: EngineCore died
SandboxFusion request failed
code execution service unavailable
search API rate limited
tool server unreachable
judge unavailable
EvalTimeoutError
verifier produced no reward
test harness setup failed
scoring service timeout
environment_reset_failed
infra_failure
hardware_failure
ECC error on GPU
docker pull rate limit exceeded
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
submitted
exit_cost
exit_context
exit_format
exit_error
exit_command_timeout
exit_total_execution_time
exit_forfeit
submitted (exit_format)
max_steps
max_turns_reached
LimitsExceeded
RepeatedFormatError
TimeExceeded
agent_timeout
AgentTimeoutError
context_window_exceeded
ContextWindowExceededError
cost_limit
message_limit
token_limit
tool_error
tool_timeout
parse_error
agent_error
too_many_errors
error
failed
gave_up
loop_detected
stuck_in_loop
invalid_action
wrong_answer
tests_failed
no_patch
empty_patch
patch_failed
patch_apply_failed
hallucinated_tool
unknown_tool
truncated
max_response_length
overlong
illegal_move
game_over
user_stop
agent_stop
transfer_to_human
refusal
content_filter
no_tools_called
STATUS$ERROR_LLM_CONTENT_POLICY_VIOLATION
litellm.ContextWindowExceededError: prompt is too long: 210000 tokens > 200000 maximum
This model's maximum context length is 131072 tokens. However, your messages resulted in 140000 tokens.
litellm.ContentPolicyViolationError: The response was filtered
FunctionCallValidationError: Missing required argument 'path' in tool call
FunctionCallNotExistsError: Function 'foo' not registered
LLMMalformedActionError: Malformed action
LLMNoActionError: Agent must return an action
ToolParseError: could not parse the model's tool call
ToolError: invalid arguments
vf.ToolParseError
InvalidModelResponseError: the model answered no JSON
EmptyModelResponseError
OverlongPromptError
FormatError: Expected exactly one action
pydantic_core.ValidationError: 1 validation error for AgentAction
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
AssertionError: expected 3, got 4
SyntaxError: invalid syntax in model's answer
NameError: name 'foo' is not defined
ModuleNotFoundError: No module named 'solution'
IndexError: list index out of range
KeyError: 'answer'
ZeroDivisionError: division by zero
AgentTimeoutError: Agent execution timed out after 900.0 seconds
NonZeroAgentExitCodeError: command failed with exit code 1
AgentMaxIterationsReached: Agent reached maximum iteration
RuntimeError: Agent reached maximum iteration in headless mode. Current iteration: 100, max iteration: 100
RuntimeError: Agent reached maximum budget
BudgetExceededError: cost limit of $3.00 exceeded
InstanceCostLimitExceededError
Instance cost 3.12 exceeds limit 3.0
TotalCostLimitExceededError: over budget
Command timed out after 30 seconds
CommandTimeoutError: Command 'python train.py' timed out
Maximum number of turns reached
MaxTurnsExceeded: Max turns (10) exceeded
UnexpectedModelBehavior: Exceeded maximum retries (1) for result validation
wrong patch: patch does not apply
Patch Apply Failed
test_connection timed out
3 tests failed
The agent's server refused connections: ConnectionRefusedError on port 8080
Agent submitted an empty patch
bash tool: command not found
The answer could not be parsed
Agent exceeded the time limit
LimitExceededError: The message limit was exceeded
stopped by user
Model produced no tool call
output truncated at max tokens
agent command failed: npm install exited with 1
Agent failed to start the server within the step limit
Model failed to build the image caption
Agent could not create the repository within 50 steps
AgentError: failed to fix the failing test
solution crashed on hidden test 3
agent produced an invalid diff
Diff could not be applied to repo
git apply failed: patch does not apply
Invalid JSON in tool arguments
Model called a function that does not exist
Unknown tool: foo
agent looped on the same command 10 times
Maximum iterations reached
Agent ran out of steps
Agent ran out of turns before solving the task
exceeded max number of tool calls
Context length exceeded
prompt is too long
Input is too long for requested model
MaxTokensReached
Response was cut off
The agent did not submit an answer
no answer found
Answer is incorrect
Wrong answer on test 2
Runtime error on test 4
Time limit exceeded on test 5
Memory limit exceeded on test 7
agent process exited with code 1
agent exited with non-zero code
FileNotFoundError: [Errno 2] No such file or directory: 'answer.txt'
TypeError: connection failed
ValueError: could not convert string to float
RuntimeError: agent loop exceeded max retries
AssertionError: server not found
pytest failed
tests did not pass
5 failed, 3 passed
refused to answer
policy violation
safety refusal
guessing limit exceeded
too many consecutive tool errors
too many format errors
max consecutive errors reached
Agent stopped: no progress
Agent stalled
user ended the conversation
user hung up
UserInterrupt: stopped by user
KeyboardInterrupt
command timed out
bash command timed out after 120s
Tool call timed out
ToolExecutionTimeout
Agent timed out
Episode timed out
Agent deleted the database
illegal action
episode terminated: illegal move
agent wrote outside of the sandbox
agent killed the container
SandboxEscapeError
agent broke the environment
agent changed the tests
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
