"""Native names that some reading knows, and words that tell kinds: both are looked at by their values only."""

from typing import Final

KNOWN_NAMES: Final = frozenset(
    {
        "_ng_failure_class", "_ng_rollout_index", "_ng_task_index", "accumulated_cost", "accumulated_token_usage",
        "action", "action_id", "actions", "agent", "agentId", "agentType", "agent_class", "agent_cost",
        "agent_ended_at", "agent_execution", "agent_info", "agent_name", "agent_ref", "agent_result",
        "agent_started_at", "analysis", "answer", "args", "arguments", "assistant", "attachment", "attachments",
        "attempts", "attributes", "available_custom_tools", "axtree", "base_instructions", "body", "branch",
        "cache_creation_input_tokens", "cache_prompt", "cache_read", "cache_read_input_tokens",
        "cached_input_tokens", "cached_tokens", "call", "call_id", "calls", "cause", "choice", "choices", "chosen",
        "class_", "cli_version", "client", "cmd", "code", "columns", "command", "commands", "commit_hash",
        "compactMetadata", "completed_at", "completion", "completion_token_ids", "completion_tokens", "config",
        "content", "continued_trajectory_ref", "conversation", "conversations", "correct", "cost", "cost_usd",
        "critical_user_error", "custom", "cwd", "data", "data_source", "dataset", "dataset_name", "db_check",
        "db_match", "definitions", "description", "detail", "details", "domain_name", "doubleValue", "duration",
        "dynamic_context", "effort", "encrypted_content", "end", "endTimeUnixNano", "end_time", "entity", "env",
        "env_class", "env_id", "env_type", "environment", "environment_info", "episode", "epoch", "error",
        "error_eval", "error_ids", "errors", "eval", "evaluation", "event", "events", "example_id",
        "exception_info", "exception_message", "exception_type", "exit_code", "exit_status", "explanation", "extra",
        "extras", "failed_apply_patch", "failure", "failure_mode", "file_name", "final_metrics", "finish_reason",
        "finish_reasons", "finished_at", "forgotten_event_ids", "format", "formatting", "from", "function",
        "function_call", "function_name", "gen_ai", "gen_tests_correct", "generated_patch",
        "generation_time_seconds", "git", "gitBranch", "git_patch", "group", "hallucination_check",
        "hallucination_found", "hash", "headUuid", "history", "html", "id", "image", "implementation",
        "implementations", "incomplete_details", "index", "inference", "info", "input", "input_messages",
        "input_prompt", "input_tokens", "input_tokens_cache_read", "input_tokens_details", "instance_cost",
        "instance_id", "instruction", "instructions", "intValue", "invalidation", "isApiErrorMessage",
        "isCompactSummary", "isSidechain", "is_audio", "is_completed", "is_copied_context", "is_demo", "is_error",
        "is_resolved", "is_solved", "is_timeout", "is_truncated", "items", "job_id", "key", "keystrokes", "kind",
        "known_info", "kto_tag", "kwargs", "label", "language", "leafUuid", "limit", "lines", "llm", "llm_args",
        "llm_call_count", "llm_config", "llm_message", "llm_response_id", "logicalParentUuid", "logprobs", "logs",
        "loss", "mask", "mask_sample", "max_iterations", "max_reward", "message", "message_type", "messages",
        "meta", "metadata", "metrics", "mini_version", "model", "model_generate_config", "model_info",
        "model_kwargs", "model_name", "model_patch", "model_provider", "model_response", "model_stats",
        "model_usage", "n", "n_cache_tokens", "n_input_tokens", "n_output_tokens", "name", "node", "nodes", "notes",
        "object", "observation", "observations", "ok", "openinference", "operation", "originator", "other",
        "output", "output_messages", "output_response", "output_tokens", "outputs", "parameters", "parent",
        "parentSpanId", "parentUuid", "parent_id", "parse_error", "parser_results", "parts",
        "patch_successfully_applied", "path", "payload", "plan", "policy", "pred_passes_gen_tests",
        "preservedMessages", "preservedSegment", "prompt", "prompt_details", "prompt_tokens", "provider", "query",
        "raw_data", "raw_output", "reason", "reason_for_call", "reasoning", "reasoning_content", "record_type",
        "reflections", "refusal", "rejected", "rejection_reason", "replacement_history", "replay_config", "repo",
        "report", "repository_url", "request", "requestor", "resolved", "resolved_ids", "resource", "resourceSpans",
        "response", "responses_create_params", "result", "results", "returncode", "review", "reward",
        "reward_basis", "reward_breakdown", "reward_components", "reward_info", "reward_valid", "rewards", "role",
        "run", "runId", "run_id", "sampled", "samples", "sampling", "sampling_args", "schema_version", "scope",
        "scopeSpans", "score", "scores", "security_risk", "semantic_parents", "session", "sessionId", "session_id",
        "simulations", "snapshot", "solution", "solver", "source", "source_call_id", "span", "spanId", "spans",
        "start", "startTimeUnixNano", "start_time", "started_at", "state", "status", "step", "step_id",
        "step_reward", "steps", "stop_condition", "stop_reason", "stringValue", "subagent_trajectories",
        "submission", "subtype", "success", "summary", "summary_offset", "system", "system_instructions",
        "system_prompt", "tags", "tailUuid", "target", "task", "task_checksum", "task_complete", "task_id",
        "task_name", "task_source", "tasks", "temperature", "termination_reason", "test_feedback", "test_result",
        "test_timeout", "tests_status", "text", "thinking", "thinking_blocks", "thought", "thoughts", "time",
        "timestamp", "timing", "token_count", "token_usage", "tokens_received", "tokens_sent", "tool",
        "toolUseResult", "tool_call", "tool_call_id", "tool_call_ids", "tool_call_metadata", "tool_calls",
        "tool_definitions", "tool_defs", "tool_messages", "tool_name", "tool_use_id", "tools", "total",
        "total_completion_tokens", "total_cost", "total_cost_usd", "total_input_tokens", "total_ms",
        "total_output_tokens", "total_prompt_tokens", "total_time", "total_token_usage", "traceId", "traceback",
        "traceloop", "traces", "trainable", "traj", "traj_id", "trajectory", "trajectory_format", "trajectory_id",
        "trial", "trial_ended_at", "trial_name", "trial_started_at", "turn_history", "turns_max", "turns_taken",
        "type", "unresolved_ids", "usage", "user", "user_cost", "user_info", "user_scenario", "uuid", "uuids",
        "valid_action", "value", "values", "verifier_result", "version", "weight", "work", "workflow",
    }
)  # fmt: skip
"""Names of fields that some reading takes."""
CONVERTED: Final = frozenset(
    {
        "end", "endTimeUnixNano", "input_tokens", "node", "prompt_tokens", "start", "startTimeUnixNano", "step_id",
        "total_ms", "turns_max", "turns_taken",
    }
)  # fmt: skip
"""Those whose numbers and times are told in other units, or as an order or an ending."""
TAGS: Final = frozenset(
    {
        "class", "class_", "finish_reason", "from", "gen_ai.operation.name", "kind", "llm.request.type",
        "message_type", "object", "openinference.span.kind", "record_type", "role", "source", "traceloop.span.kind",
        "trajectory_format", "type",
    }
)  # fmt: skip
"""Names under which a word says what kind of thing this is."""
WORDS: Final = frozenset(
    {
        "action", "actionevent", "agent", "agenterrorevent", "ai", "api_action", "assistant", "attachment", "chat",
        "code_action", "compacted", "condensation", "content", "custom_tool_call", "custom_tool_call_output",
        "developer", "environment", "eval", "event_msg", "execute_tool", "exit", "function", "function_call",
        "function_call_output", "function_result", "generate_content", "gpt", "human", "input_text", "invoke_agent",
        "llm", "message", "message_action", "messageevent", "mini-swe-agent-1.1", "model", "observation",
        "observationevent", "output_text", "reasoning", "response", "response_item", "session_meta", "stop", "summary",
        "summary_text", "system", "system_prompt", "systempromptevent", "task_complete", "text", "text_completion",
        "text_observation", "thinking", "thought", "token_count", "tool", "tool_call", "tool_call_response",
        "tool_calls", "tool_result", "tool_use", "train", "turn_aborted", "turn_complete", "turn_context", "user",
        "userrejectobservation", "web_observation",
    }
)  # fmt: skip
"""Such words, in lower case, that a role, a state or a column of its own stands for."""
