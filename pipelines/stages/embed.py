"""Stage embed: vectors of representatives, of what vectors may part from them, and of unique task texts.

A near-copy of a representative, or a run cut from it, has a vector of its own where the representative may be dropped
for another one: it need not resemble that.

Reads `clusters`, `views`, `signatures`, the instructions of `trajectories`, and the text of runs whose vectors are not
kept yet. Writes `embeddings`, ordered by trajectory id and view: task, body and fused, and
`background`; stops the run where vectors tell tasks apart no longer. A rollout for whose text, any window of it or its
task's text a model gives no usable vector (NaN, infinite, zero) goes to the quarantine by its id, and `copies` decides
anew over the others. What is unusable is told from kept vectors, so that a later run says the same of it.

Work files for later stages, row i of each being the same run: `<work_dir>/vectors/ids.npy` (ascending ids), `body.npy`
and `skeleton.npy` (float16). A run without comparable text has zeros.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipelines.stages import copies
from pipelines.stages.background import check_background
from pipelines.stages.context import StageContext
from pipelines.stages.setting_aside import set_aside
from pipelines.stages.sign import ensure_bodies
from pipelines.stages.to_embed import ToEmbed, find_to_embed, task_texts
from schemas.reasons import QuarantineReason
from transforms.embedding.cache import KeptVectors, absent_hashes, find_vectors, keep_vectors
from transforms.embedding.choice import EncoderChoice, hashed_choice
from transforms.embedding.encoding import (
    CutTexts,
    EncodeTexts,
    TextFile,
    pooled_hash,
    pooled_vectors,
    share_out,
)
from transforms.embedding.events import EventFile
from transforms.embedding.sharing import release_encoders
from transforms.similarity.embedding_rows import embedding_table, fuse
from transforms.similarity.profiles import KeepProfiles, absent_profiles
from transforms.similarity.rescoring import usable_rows
from transforms.views.windows import window_hash

READS: Final = ("clusters", "views", "signatures", "trajectories", "boilerplate")
WRITES: Final = ("embeddings", "background", "clusters", "task_groups", "views", "inputs")

VECTORS_FOLDER: Final = "vectors"
"""Folder of the vectors below the work folder."""

SKELETON_DIMENSIONS: Final = 128
"""Dimensions of the hashed skeletons that families are found on."""

_POOLED_TOGETHER: Final = 16_384
"""Texts whose windows' vectors are held at once: 100 MB at 8 windows of 384 dimensions."""

_NAMED: Final = 5
"""Unusable texts named on the display; the run record has their number."""

_BODY_COLUMNS = ("body", "task_text")
"""A run without a body is compared by its task's text."""


class _Embedded(NamedTuple):
    """What was embedded and the vectors of bodies and tasks, shape (trajectories, dimensions)."""

    found: ToEmbed
    body: NDArray[np.float16]
    task: NDArray[np.float16]


class _Broken(NamedTuple):
    """The hashes of the bodies and of the task texts without a usable vector."""

    bodies: set[str]
    tasks: set[str]


def run(context: StageContext) -> None:
    """Embed what is new, and write the vectors.

    Raises:
        QualityError: Vectors tell tasks apart no longer, or the model gave no usable one for too many rollouts.
    """
    folder = context.work_dir / "embed"
    folder.mkdir(parents=True, exist_ok=True)
    events = EventFile(folder / "events.jsonl")
    embedded = _embed(context, folder, events=events)
    num_set_aside, texts = 0, set[str]()
    while broken := _without_vector(context, embedded):
        unusable = _rollouts_of(context, broken)
        # Copies of a set-aside rollout get a keeper of their own, which is to be embedded then.
        set_aside(
            context,
            unusable,
            stage="embed",
            reason=QuarantineReason.UNUSABLE_VECTOR,
            why=f"{context.encoder.identity.name} gave no usable vector for its text",
        )
        num_set_aside += len(unusable)
        texts |= broken.bodies | broken.tasks
        copies.run(context)
        embedded = _embed(context, folder, events=events)
    _write(context, embedded)
    _tell(context, events, num_set_aside=num_set_aside, unusable=sorted(texts))
    represents = np.flatnonzero(embedded.found.represents)
    check_background(context, [embedded.found.ids[row] for row in represents.tolist()], embedded.body[represents])


def _embed(context: StageContext, folder: Path, *, events: EventFile) -> _Embedded:
    """Embed what is new, and return all vectors."""
    found, task_file = find_to_embed(context, folder / "tasks.parquet")
    _encode_new(context, found, skeletons=hashed_choice(SKELETON_DIMENSIONS), task_file=task_file, events=events)
    release_encoders()
    max_windows = context.settings.views.max_windows
    bodies = _pooled(found.bodies, context.encoder, max_windows=max_windows)
    tasks = _pooled(found.tasks, context.encoder, max_windows=max_windows)
    kept = find_vectors(context.store, context.encoder.identity, _present(bodies) | _present(tasks))
    return _Embedded(found, matrix_of(bodies, kept), matrix_of(tasks, kept))


def _without_vector(context: StageContext, embedded: _Embedded) -> _Broken | None:
    """Return the texts for which a model gave nothing that can be compared; None where it gave something for all.

    The hashed encoder gives zeros where a text has no word: that is what the text is, and no failure.
    """
    if not context.encoder.takes_windows:
        return None
    bodies, tasks = (
        {each for each, usable in zip(hashes, usable_rows(vectors).tolist(), strict=True) if each and not usable}
        for hashes, vectors in ((embedded.found.bodies, embedded.body), (embedded.found.tasks, embedded.task))
    )
    return _Broken(bodies, tasks) if bodies or tasks else None


def _rollouts_of(context: StageContext, broken: _Broken) -> list[str]:
    """Return the ids of the rollouts that have one of the texts, copies among them, in ascending order."""
    signatures = context.read("signatures", ["view_hash", "body_hash"])
    mine = signatures.filter(pc.is_in(signatures["body_hash"], value_set=pa.array(sorted(broken.bodies), pa.string())))
    views = context.read("views", ["traj_id", "view_hash"])
    found = views.filter(pc.is_in(views["view_hash"], value_set=mine["view_hash"].combine_chunks()))
    affected = set(found["traj_id"].to_pylist())
    if broken.tasks:
        clusters = context.read("clusters", ["traj_id", "environment"])
        ids, texts = clusters["traj_id"].to_pylist(), task_texts(context, clusters)
        affected |= {
            each
            for each, text in zip(ids, texts, strict=True)
            if text is not None and window_hash(text) in broken.tasks
        }
    return sorted(affected)


def _write(context: StageContext, embedded: _Embedded) -> None:
    """Write the table `embeddings` and the work files of later stages."""
    found, body, task = embedded
    vectors = context.work_dir / VECTORS_FOLDER
    vectors.mkdir(parents=True, exist_ok=True)
    skeletons = find_vectors(context.store, hashed_choice(SKELETON_DIMENSIONS).identity, _present(found.skeletons))
    np.save(vectors / "ids.npy", np.asarray(found.ids, dtype=np.str_))
    np.save(vectors / "body.npy", body)
    np.save(vectors / "skeleton.npy", matrix_of(found.skeletons, skeletons))
    fused = fuse(task, body, task_weight=context.settings.embedding.task_weight)
    context.write("embeddings", embedding_table(found.ids, context.encoder, task=task, body=body, fused=fused))


def matrix_of(hashes: Sequence[str | None], kept: KeptVectors) -> NDArray[np.float16]:
    """Return the kept vector of each hash, shape (hashes, dimensions); zeros where there is none."""
    known = set(kept.keys.tolist())
    found = [(row, each) for row, each in enumerate(hashes) if each is not None and each in known]
    matrix = np.zeros((len(hashes), max(1, kept.matrix.shape[1])), dtype=np.float16)
    if found:
        matrix[[row for row, _ in found]] = kept.matrix[kept.rows([each for _, each in found])]
    return matrix


def _pooled(hashes: Sequence[str | None], choice: EncoderChoice, *, max_windows: int) -> list[str | None]:
    return [None if each is None else pooled_hash(each, choice, max_windows=max_windows) for each in hashes]


def _encode_new(
    context: StageContext, found: ToEmbed, *, skeletons: EncoderChoice, task_file: Path, events: EventFile
) -> None:
    """Encode the texts whose vectors or profiles are not kept."""
    bodies = _absent_texts(context, found.bodies)
    tasks = _absent_texts(context, found.tasks)
    new_skeletons = absent_hashes(context.store, skeletons.identity, _present(found.skeletons))
    profiles = absent_profiles(context.store, _present(found.skeletons))
    by_view = {
        "body": _by_view(found.view_hashes, found.bodies, wanted=bodies),
        "skeleton": _by_view(found.view_hashes, found.skeletons, wanted=new_skeletons),
        "profile": _by_view(found.view_hashes, found.skeletons, wanted=profiles),
    }
    views = {view_hash for wanted in by_view.values() for view_hash in wanted}
    paths = sorted(ensure_bodies(context, views).glob("*.parquet")) if views else []
    files = _text_files(paths, by_view["body"], columns=_BODY_COLUMNS)
    if tasks:
        files.append(TextFile("tasks", task_file, "text_hash", ("text",), {each: each for each in sorted(tasks)}))
    _encode_texts(context, files, events)
    with context.pipeline("embed skeletons") as pipeline:
        skeleton_files = _text_files(paths, by_view["skeleton"], columns=("skeleton",))
        profile_files = _text_files(paths, by_view["profile"], columns=("skeleton",))
        _ = (
            pipeline
            | "SkeletonFiles" >> beam.Create(skeleton_files)
            | "EncodeSkeletons" >> EncodeTexts(skeletons, context.store)
        )
        _ = pipeline | "ProfileFiles" >> beam.Create(profile_files) | "KeepProfiles" >> KeepProfiles(context.store)


def _present(hashes: Sequence[str | None]) -> set[str]:
    return {each for each in hashes if each is not None}


def _absent_texts(context: StageContext, hashes: Sequence[str | None]) -> set[str]:
    """Return the texts whose vectors by the run's encoder are not kept."""
    max_windows = context.settings.views.max_windows
    kept_as = {pooled_hash(each, context.encoder, max_windows=max_windows): each for each in _present(hashes)}
    return {kept_as[each] for each in absent_hashes(context.store, context.encoder.identity, kept_as)}


def _by_view(
    view_hashes: Sequence[str | None], text_hashes: Sequence[str | None], *, wanted: Collection[str]
) -> dict[str, str]:
    """Return, for each wanted text, one view that has it: view hash → text hash."""
    view_of: dict[str, str] = {}
    for view_hash, text_hash in zip(view_hashes, text_hashes, strict=True):
        if view_hash is not None and text_hash is not None and text_hash in wanted:
            view_of[text_hash] = min(view_hash, view_of.get(text_hash, view_hash))
    return {view_hash: text_hash for text_hash, view_hash in view_of.items()}


def _text_files(paths: Sequence[Path], wanted: dict[str, str], *, columns: tuple[str, ...]) -> list[TextFile]:
    shares = share_out(paths, wanted, id_column="view_hash") if wanted else []
    return [TextFile(path.stem, path, "view_hash", columns, mine) for path, mine in shares]


def _encode_texts(context: StageContext, files: Sequence[TextFile], events: EventFile) -> None:
    """Encode texts by the run's encoder: whole, or as the mean of their windows."""
    if not files:
        return
    texts = sorted({each for file in files for each in file.wanted.values()})
    counts = context.progress.counts
    counts["texts"] = len(texts)
    if not context.encoder.takes_windows:
        _run_encoder(context, files, events)
        return
    folder = context.work_dir / "embed" / "windows"
    with context.pipeline("cut texts") as pipeline:
        cut = CutTexts(context.encoder, context.settings.views.max_windows, folder=folder, events=events)
        _ = pipeline | "TextFiles" >> beam.Create(files) | "SpreadFiles" >> beam.Reshuffle() | "CutTexts" >> cut
    paths = sorted(folder.glob("*.parquet"))
    windows = pa.concat_tables([pq.read_table(path, columns=["text_hash", "window_hash"]) for path in paths])
    hashes = set(windows["window_hash"].to_pylist())
    absent = {each: each for each in absent_hashes(context.store, context.encoder.identity, hashes)}
    counts |= {"windows": len(windows), "unique_windows": len(hashes), "encoded_windows": len(absent)}
    counts["reuse_ratio"] = round(1 - len(absent) / len(windows), 4) if len(windows) else 0.0
    shares = share_out(paths, absent, id_column="window_hash")
    window_files = [TextFile(path.stem, path, "window_hash", ("window",), mine) for path, mine in shares]
    _run_encoder(context, window_files, events)
    for start in range(0, len(texts), _POOLED_TOGETHER):
        _keep_pooled(context, texts[start : start + _POOLED_TOGETHER], windows)


def _keep_pooled(context: StageContext, texts: Sequence[str], windows: pa.Table) -> None:
    """Keep the mean of the windows of each of some texts."""
    mine = windows.filter(pc.is_in(windows["text_hash"], value_set=pa.array(texts, pa.string())))
    kept = find_vectors(context.store, context.encoder.identity, set(mine["window_hash"].to_pylist()))
    text_hashes, means = pooled_vectors(texts, mine, kept=kept)
    max_windows = context.settings.views.max_windows
    names = [pooled_hash(each, context.encoder, max_windows=max_windows) for each in text_hashes]
    keep_vectors(context.store, context.encoder.identity, names, vectors=means)


def _run_encoder(context: StageContext, files: Sequence[TextFile], events: EventFile) -> None:
    unit = "windows" if context.encoder.takes_windows else "texts"
    context.progress.total(sum(len(set(file.wanted.values())) for file in files), unit)
    with context.pipeline("embed") as pipeline:
        _ = (
            pipeline
            | "TextFiles" >> beam.Create(files)
            | "SpreadFiles" >> beam.Reshuffle()
            | "EncodeTexts" >> EncodeTexts(context.encoder, context.store, context.progress.file, events)
        )


def _tell(context: StageContext, events: EventFile, *, num_set_aside: int, unusable: Sequence[str]) -> None:
    """Count for the run record what happened, and note for the display what the user should know of."""
    counts, notes = context.progress.counts, context.progress.notes
    told = events.read()
    counts["model_loads"] = len(told.load_processes)
    counts["model_processes"] = len(set(told.load_processes))
    counts["quarantined"] = num_set_aside
    if "windows" in counts:
        notes.append(
            f"{counts['windows']:,} windows, {counts['unique_windows']:,} unique, "
            f"{counts['encoded_windows']:,} encoded (reuse {counts['reuse_ratio']:.0%}), "
            f"{counts['model_loads']} model loads in {counts['model_processes']} processes"
        )
    if told.halved_to:
        counts["batch_size"] = told.halved_to[0]
        notes.append(
            f"warning: memory ran out; batches went down to {told.halved_to[0]} texts "
            f"(set embedding.batch_size={told.halved_to[0]} from the start)"
        )
    if unusable:
        counts["unusable_vectors"] = len(unusable)
        notes.append(
            f"warning: {context.encoder.identity.name} gave no usable vector for {len(unusable):,} texts or a window "
            f"of them: {', '.join(unusable[:_NAMED])}"
        )
    if num_set_aside:
        notes.append(
            f"warning: {num_set_aside:,} rollouts are quarantined, as {context.encoder.identity.name} gave no usable "
            "vector for their text; `trajsift quarantine list` names them"
        )
