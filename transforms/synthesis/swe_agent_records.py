"""Rollouts as SWE-agent `.traj` files with the SWE-bench report beside them."""

import random
from typing import Final, NamedTuple

import orjson

from schemas.reasons import EnvType
from transforms.synthesis.episodes import Episode, Turn
from transforms.synthesis.planting import RolloutPlan, TaskPlan
from transforms.synthesis.prompts import system_prompt
from transforms.synthesis.vocabulary import stream

Record = dict[str, object]

_EXIT_STATUS: Final = {
    "timeout": "exit_environment_error",
    "http_5xx": "exit_api",
    "install_failure": "exit_environment_error",
}


class SweAgentFiles(NamedTuple):
    """A rollout's files: its folder under the run, the trajectory, and the report, None when nothing was judged.

    `reward` is what the report says: 1 resolved, 0 not, None without a report.
    """

    folder: str
    trajectory: bytes
    report: bytes | None
    reward: float | None


def run_folder(plan: RolloutPlan, *, rollout_index: int) -> str:
    """Return the name of a run: model, data, configuration, sampling and the run's number, as SWE-agent joins them."""
    return f"{plan.model_name}__sample__default__t-0.70__p-0.95__c-3.00__install-1___run-{rollout_index:02d}"


def swe_agent_files(
    seed: int, task: TaskPlan, plan: RolloutPlan, episode: Episode, *, source_index: int
) -> SweAgentFiles:
    """Return the files of a rollout.

    Args:
        seed: The lake's seed.
        task: The task.
        plan: The rollout.
        episode: Its turns.
        source_index: The rollout whose text this is: its own index, or that of the rollout it copies.
    """
    prefix = f"call_{task.number:06d}{source_index:03d}"
    trajectory = {
        "trajectory": [_entry(turn, at) for at, turn in enumerate(episode.turns)],
        "history": _history(episode, prefix=prefix),
        "info": _info(plan, episode, source_index=source_index),
        "replay_config": orjson.dumps(
            {"agent": {"model": {"name": plan.model_name}}, "problem_statement": {"id": task.task_id}}
        ).decode(),
        "environment": task.task_id,
    }
    report = _report(seed, task, plan, episode)
    return SweAgentFiles(
        f"{run_folder(plan, rollout_index=plan.rollout_index)}/{task.task_id}",
        orjson.dumps(trajectory),
        None if report is None else orjson.dumps(report, option=orjson.OPT_INDENT_2),
        None if report is None else float(report["resolved"] is True),
    )


def action_text(turn: Turn) -> str:
    """Return a call as SWE-agent writes it: the tool and its values; handing in has none."""
    return " ".join(("submit",) if turn.tool == "submit" else (str(turn.tool), *turn.arguments.values()))


def _entry(turn: Turn, at: int) -> Record:
    return {
        "action": action_text(turn),
        "observation": turn.answer,
        "response": turn.thought,
        "thought": turn.thought,
        "execution_time": 0.25 + at % 7 / 8,
        "state": {"working_dir": "/testbed"},
        "query": [],
        "extra_info": {},
    }


def _history(episode: Episode, *, prefix: str) -> list[Record]:
    history: list[Record] = [
        {
            "role": "system",
            "content": system_prompt(EnvType.CODE_REPO),
            "agent": "main",
            "message_type": "system_prompt",
        },
        {"role": "user", "content": [_part(episode.task_text)], "agent": "main", "message_type": "observation"},
    ]
    for at, turn in enumerate(episode.turns):
        call_id = f"{prefix}{at:03d}"
        arguments = {} if turn.tool == "submit" else turn.arguments
        function = {"name": turn.tool, "arguments": orjson.dumps(arguments).decode()}
        history.append(
            {
                "role": "assistant",
                "content": turn.thought,
                "thought": turn.thought,
                "action": action_text(turn),
                "agent": "main",
                "tool_calls": [{"index": 1, "function": function, "id": call_id, "type": "function"}],
                "message_type": "action",
            }
        )
        history.append(
            {
                "role": "tool",
                "content": [_part(f"OBSERVATION:\n{turn.answer}")],
                "agent": "main",
                "message_type": "observation",
                "tool_call_ids": [call_id],
            }
        )
    return history


def _part(text: str) -> Record:
    return {"type": "text", "text": text}


def _info(plan: RolloutPlan, episode: Episode, *, source_index: int) -> Record:
    edits = [turn.arguments for turn in episode.turns if turn.tool == "edit_file"]
    patch = "".join(
        f"--- a/{edit['path']}\n+++ b/{edit['path']}\n" + "".join(f"+{line}\n" for line in edit["text"].splitlines())
        for edit in edits[-1:]
    )
    num_steps = len(episode.turns)
    return {
        "swe_agent_version": "1.0.1",
        "exit_status": _EXIT_STATUS[plan.infra_cause] if plan.infra_cause else "submitted",
        "submission": None if plan.infra_cause else patch,
        "model_stats": {
            "instance_cost": round(0.01 * num_steps + 0.001 * source_index, 4),
            "tokens_sent": 900 * num_steps,
            "tokens_received": 60 * num_steps,
            "api_calls": num_steps,
        },
    }


def _report(seed: int, task: TaskPlan, plan: RolloutPlan, episode: Episode) -> Record | None:
    is_zeroed = plan.infra_reward is not None
    if plan.is_success is None and not is_zeroed:
        return None
    rng = stream(seed, "test names", task.number)
    names = [_test_name(rng, at) for at in range(episode.tests_total)]
    num_repaired = 1 + episode.tests_total // 3
    passed = 0 if is_zeroed else episode.tests_passed
    # Passing tests are counted off from the end, where the tests stand that passed before.
    first_passed = len(names) - passed
    is_compiled = episode.components[1] == 1.0
    return {
        "patch_is_None": is_zeroed,
        "patch_exists": not is_zeroed,
        "patch_successfully_applied": is_compiled and not is_zeroed,
        "resolved": passed == len(names),
        "tests_status": {
            "FAIL_TO_PASS": _status(names, range(num_repaired), first_passed=first_passed),
            "PASS_TO_PASS": _status(names, range(num_repaired, len(names)), first_passed=first_passed),
        },
    }


def _status(names: list[str], places: range, *, first_passed: int) -> Record:
    return {
        "success": [names[at] for at in places if at >= first_passed],
        "failure": [names[at] for at in places if at < first_passed],
    }


def _test_name(rng: random.Random, at: int) -> str:
    return f"tests/test_{rng.randrange(10**4):04d}.py::test_case_{at:02d}_{rng.randrange(10**6):06d}"
