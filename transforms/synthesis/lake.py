"""Write the sample lake: records in three formats, planted truth, seed tasks and a settings file."""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from transforms.synthesis.actions import LINE_KINDS_OF
from transforms.synthesis.chat_records import Record, chat_record
from transforms.synthesis.episodes import Episode, write_episode
from transforms.synthesis.near_copies import body_text, jaccard, near_copy, word_shingles
from transforms.synthesis.planting import LakeFormat, Planted, RolloutPlan, TaskPlan, plan_task, worlds
from transforms.synthesis.seed_tasks import seed_rows, settings_text
from transforms.synthesis.shards import ChatShards, Place
from transforms.synthesis.sizes import answer_chars
from transforms.synthesis.swe_agent_records import swe_agent_files
from transforms.synthesis.truth import rollout_truth, secret_truth, task_truth
from transforms.synthesis.vocabulary import TaskVocabulary, stream, task_vocabulary

_SHARING_TASKS: Final = 40
_FOLDERS: Final = {LakeFormat.CHAT_JSONL: ("chat", ".jsonl"), LakeFormat.CHAT_PARQUET: ("tables", ".parquet")}


class LakeRequest(NamedTuple):
    """What is asked for.

    Attributes:
        seed: Seed of every draw.
        num_tasks: Tasks.
        num_rollouts: Records per task, planted ones among them.
        size_kb: Mean size of a record as written in JSON, in KiB.
        num_files: Chat files, over both formats.
        only: The only format to write; None writes all.
    """

    seed: int
    num_tasks: int
    num_rollouts: int
    size_kb: float
    num_files: int
    only: LakeFormat | None = None


class LakeSummary(NamedTuple):
    """What was written: bytes of the lake, files, records by planted kind, and the text that tasks share."""

    num_bytes: int
    num_files: int
    kinds: Mapping[str, int]
    num_secrets: int
    mean_sharing: float


def write_lake(target: Path, request: LakeRequest, *, on_task: Callable[[], None] = lambda: None) -> LakeSummary:
    """Write `lake/`, `truth/`, `seeds.jsonl` and `curate.yaml` into an empty folder.

    Args:
        target: The folder; it must exist.
        request: What to write.
        on_task: Called after every task.
    """
    (target / "truth").mkdir()
    (target / "lake").mkdir()
    with ExitStack() as stack:
        writer = _LakeWriter(target, request, stack)
        for number in range(request.num_tasks):
            writer.write_task(plan_task(request.seed, number, num_rollouts=request.num_rollouts, only=request.only))
            on_task()
    (target / "seeds.jsonl").write_bytes(
        b"".join(orjson.dumps(row) + b"\n" for row in seed_rows(request.seed, request.num_tasks))
    )
    (target / "curate.yaml").write_text(settings_text(request.seed, sorted(writer.patterns)), encoding="utf-8")
    sizes = [path.stat().st_size for path in sorted((target / "lake").rglob("*")) if path.is_file()]
    return LakeSummary(
        sum(sizes), len(sizes), dict(sorted(writer.kinds.items())), writer.num_secrets, measure_sharing(request)
    )


def measure_sharing(request: LakeRequest, *, num_tasks: int = _SHARING_TASKS) -> float:
    """Return the mean word-5-gram Jaccard between bodies of different tasks, over the first rollouts of some tasks."""
    shingles = []
    for number in range(min(num_tasks, request.num_tasks)):
        task = plan_task(request.seed, number, num_rollouts=request.num_rollouts, only=request.only)
        episode = _own_episode(request, task, task.rollouts[0], vocabulary=_vocabulary(request, task))
        shingles.append(word_shingles(body_text(episode)))
    pairs = [jaccard(left, right) for left, right in combinations(shingles, 2)]
    return sum(pairs) / len(pairs) if pairs else 0.0


class _LakeWriter:
    """Writes tasks one after the other; holds the open files and one task's episodes."""

    def __init__(self, target: Path, request: LakeRequest, stack: ExitStack) -> None:
        self.kinds: Counter[str] = Counter()
        self.num_secrets = 0
        self.patterns: set[str] = set()
        self._request = request
        self._lake = target / "lake"
        self._shards = {
            lake_format: stack.enter_context(_open_shards(self._lake, lake_format, num_files=num_files))
            for lake_format, num_files in _share_files(request).items()
        }
        names = ("rollouts", "tasks", "secrets")
        self._truth = {name: stack.enter_context((target / "truth" / f"{name}.jsonl").open("wb")) for name in names}

    def write_task(self, task: TaskPlan) -> None:
        vocabulary = _vocabulary(self._request, task)
        episodes: dict[int, Episode] = {}
        places: dict[int, tuple[Place, str | None]] = {}
        for plan in task.rollouts:
            at = plan.rollout_index
            episodes[at] = _episode(self._request, task, plan, vocabulary=vocabulary, episodes=episodes)
            place, native_id, reward = self._write_record(task, plan, episodes[at])
            places[at] = (place, native_id)
            self._tell("rollouts", rollout_truth(task, plan, reward=reward, episodes=episodes, places=places))
            secret = secret_truth(episodes[at], place=place, native_id=native_id)
            if secret is not None:
                self._tell("secrets", secret)
                self.num_secrets += 1
            self.kinds[plan.kind.value] += 1
        self._tell("tasks", task_truth(task))

    def _write_record(
        self, task: TaskPlan, plan: RolloutPlan, episode: Episode
    ) -> tuple[Place, str | None, float | None]:
        if task.lake_format is LakeFormat.SWE_AGENT:
            return self._write_swe_agent(task, plan, episode)
        source = plan if plan.kind is not Planted.REPEAT else task.rollouts[plan.original or 0]
        native_id = f"{task.task_id}-r{source.rollout_index:03d}"
        record = chat_record(task, source, episode, native_id=native_id)
        self.patterns.add("**/*" + _FOLDERS[task.lake_format][1])
        reward = record["reward"]
        assert reward is None or isinstance(reward, float)
        return self._shards[task.lake_format].add(record), native_id, reward

    def _write_swe_agent(
        self, task: TaskPlan, plan: RolloutPlan, episode: Episode
    ) -> tuple[Place, None, float | None]:
        source_index = plan.rollout_index if plan.original is None else plan.original
        files = swe_agent_files(self._request.seed, task, plan, episode, source_index=source_index)
        uri = f"swe_agent/{files.folder}/{task.task_id}.traj"
        path = self._lake / uri
        path.parent.mkdir(parents=True)
        path.write_bytes(files.trajectory)
        if files.report is not None:
            (path.parent / "report.json").write_bytes(files.report)
        self.patterns.add("**/*.traj")
        return Place(uri, 0), None, files.reward

    def _tell(self, name: str, row: Record) -> None:
        self._truth[name].write(orjson.dumps(row) + b"\n")


def _episode(
    request: LakeRequest,
    task: TaskPlan,
    plan: RolloutPlan,
    *,
    vocabulary: TaskVocabulary,
    episodes: Mapping[int, Episode],
) -> Episode:
    if plan.original is None:
        return _own_episode(request, task, plan, vocabulary=vocabulary)
    original = episodes[plan.original]
    if plan.noise_ratio is None:
        return original
    rng = stream(request.seed, "noise", task.number, plan.rollout_index)
    return near_copy(rng, original, noise_ratio=plan.noise_ratio, words=vocabulary.words)


def _own_episode(request: LakeRequest, task: TaskPlan, plan: RolloutPlan, *, vocabulary: TaskVocabulary) -> Episode:
    rng = stream(request.seed, "size", task.number, plan.rollout_index)
    num_chars = answer_chars(rng, task.env_type, task.lake_format, size_kb=request.size_kb)
    return write_episode(request.seed, task, plan, vocabulary=vocabulary, num_chars=num_chars)


def _vocabulary(request: LakeRequest, task: TaskPlan) -> TaskVocabulary:
    kinds = LINE_KINDS_OF[task.env_type]
    return task_vocabulary(request.seed, task.number, kinds=kinds, file_chars=int(request.size_kb * 250))


def _share_files(request: LakeRequest) -> dict[LakeFormat, int]:
    """Return the number of files of each chat format: an even share, but no more than it has records."""
    formats = [lake_format for _, lake_format in worlds(request.only)]
    num_records = Counter(formats[number % len(formats)] for number in range(request.num_tasks))
    chat = [lake_format for lake_format in _FOLDERS if num_records[lake_format]]
    return {
        lake_format: max(
            1, min(num_records[lake_format] * request.num_rollouts, len(range(at, request.num_files, len(chat))))
        )
        for at, lake_format in enumerate(chat)
    }


def _open_shards(lake: Path, lake_format: LakeFormat, *, num_files: int) -> ChatShards:
    folder, suffix = _FOLDERS[lake_format]
    return ChatShards(lake, folder, suffix=suffix, num_files=num_files)
