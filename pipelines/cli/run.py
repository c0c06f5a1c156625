"""`trajsift run`: from settings and a lake to a published snapshot."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schemas.errors import SettingsError

if TYPE_CHECKING:
    from pipelines.plan import Plan, Sources
    from pipelines.run import RunResult
    from transforms.store.manifest import Manifest


def run(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="CONF… [SECTION.KEY=VALUE …]",
            help="Settings files, later ones over earlier ones, then single settings over all of them.",
            show_default=False,
        ),
    ],
    until: Annotated[
        str | None, typer.Option(metavar="STAGE", help="Stop after this stage; nothing is published.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check settings and inputs, show what would be done, write nothing.")
    ] = False,
) -> int:
    """Curate the lake named in the settings and publish a snapshot with its datasets and report.

    Flags after `--` go to Beam, for instance
    `trajsift run conf.yaml -- --direct_running_mode=multi_processing --direct_num_workers=2`.
    An equal run is a no-op. A run that fails publishes nothing.
    """
    from pipelines.runners.quiet import quiet_libraries

    quiet_libraries()
    from pipelines.run import dry_run as plan_only
    from pipelines.run import execute
    from pipelines.settings_files import load_settings

    files = [Path(word) for word in words if "=" not in word or Path(word).is_file()]
    overrides = [word for word in words if "=" in word and not Path(word).is_file()]
    if not files:
        raise SettingsError(
            "trajsift run needs a settings file; see conf/examples, or make a sample: trajsift sample-lake"
        )
    loaded = load_settings(files, overrides)
    flags = list(context.obj or [])
    if dry_run:
        _show_plan(*plan_only(loaded, flags))
        return 0
    result = execute(loaded, flags=flags, until=until)
    _show_result(result, loaded.settings.store, until)
    return 0


def _show_plan(sources: "Sources", plan: "Plan") -> None:
    from schemas.versions import STAGE_VERSIONS

    size = sum((unit.byte_end or unit.size) - unit.byte_start for unit in sources.units)
    typer.echo(f"source units  {len(sources.units):,} ({size / 1e6:,.1f} MB)")
    for adapter in sorted({unit.adapter for unit in sources.units}):
        typer.echo(f"  {adapter:<12}{sum(unit.adapter == adapter for unit in sources.units):,}")
    typer.echo(f"seed tasks    {len(sources.seed_tasks):,}")
    typer.echo(f"encoder       {sources.encoder.describe().removeprefix('encoder ')}")
    typer.echo(f"packs         {len(plan.kept):,} kept, {len(plan.new):,} to make")
    typer.echo(f"parent        {plan.parent.snapshot_id if plan.parent else 'none'}")
    typer.echo(f"snapshot      {plan.snapshot_id}{' (published already: nothing to do)' if plan.is_done else ''}")
    typer.echo(f"stages        {' → '.join(STAGE_VERSIONS)}")


def _show_result(result: "RunResult", store: str, until: str | None) -> None:
    from transforms.store.manifest import snapshot_folder

    folder = f"{store}/{snapshot_folder(result.plan.snapshot_id)}"
    if result.manifest is None:
        typer.echo(f"stopped after {until}; nothing published, tables so far are in {folder}/tables")
        return
    folder = f"{store}/{result.manifest.folder}"
    if result.was_done:
        typer.echo(f"nothing new: {result.manifest.snapshot_id} already is the result of this lake and these settings")
    tables: tuple[tuple[str, Mapping[str, int | float]], ...] = (
        ("funnel", result.manifest.funnel),
        ("what the lake is like", result.manifest.summary),
    )
    for title, counts in tables:
        typer.echo(f"\n{title}")
        for name, count in counts.items():
            typer.echo(f"  {name:<40}{count:>10,}")
    typer.echo(f"\nexports  {folder}/exports")
    typer.echo(f"report   {folder}/report/index.html")
    if result.run_file:
        typer.echo(f"costs    {store}/{result.run_file}")
    if result.warnings:
        typer.echo()
    for warning in result.warnings:
        typer.echo(warning)
    typer.echo("\ntry next")
    typer.echo(
        f'  trajsift sql --store {store} "SELECT reason, count(*) AS n FROM decisions GROUP BY ALL ORDER BY n DESC"'
    )
    typer.echo(f"  trajsift explain --store {store} {_some_trajectory(result.manifest, store)}")
    typer.echo(f"  trajsift snapshots --store {store}")


def _some_trajectory(manifest: "Manifest", store: str) -> str:
    """Return the id of a trajectory worth explaining: the first that was dropped, else the first."""
    from transforms.store.files import Store
    from transforms.store.tables import read_table

    (decisions,) = manifest.tables["decisions"]
    rows = read_table(Store(store), decisions.path, ["traj_id", "decision"]).to_pylist()
    ordered = sorted(rows, key=lambda row: (row["decision"] != "drop", row["traj_id"]))
    return str(ordered[0]["traj_id"]) if ordered else "TRAJ_ID"
