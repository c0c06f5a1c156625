"""The adapters there are, and which of them reads a file."""

from collections import Counter
from typing import Any, Final

from schemas.settings.ingest import IngestSettings
from transforms.formats.adp import AdpAdapter
from transforms.formats.atif import AtifAdapter
from transforms.formats.claude_code import ClaudeCodeAdapter
from transforms.formats.codex import CodexAdapter
from transforms.formats.contract import Adapter
from transforms.formats.harbor import HarborAdapter
from transforms.formats.inspect_eval import InspectAdapter
from transforms.formats.intercode import InterCodeAdapter
from transforms.formats.mini_swe_agent import MiniSweAgentAdapter
from transforms.formats.nebius_swe_agent import NebiusSweAgentAdapter
from transforms.formats.openai_chat import OpenAIChatAdapter
from transforms.formats.openai_responses import OpenAIResponsesAdapter
from transforms.formats.openhands import OpenHandsAdapter
from transforms.formats.openhands_events import OpenHandsEventsAdapter
from transforms.formats.otlp import OtlpAdapter
from transforms.formats.reflexion import ReflexionAdapter
from transforms.formats.sharegpt import ShareGptAdapter
from transforms.formats.skyrl import SkyRLAdapter
from transforms.formats.swe_agent import SweAgentAdapter
from transforms.formats.swe_gym_openhands import SweGymOpenHandsAdapter
from transforms.formats.swe_rebench_openhands import SweRebenchOpenHandsAdapter
from transforms.formats.swe_smith import SweSmithAdapter
from transforms.formats.tau2 import Tau2Adapter
from transforms.formats.tau_bench import TauBenchAdapter
from transforms.formats.terminal_bench import TerminalBenchAdapter
from transforms.formats.terminus_rows import TerminusRowsAdapter
from transforms.formats.unclaimed import UnknownAdapter, UnreadableAdapter
from transforms.formats.verifiers import VerifiersAdapter
from transforms.formats.verifiers_traces import VerifiersTracesAdapter
from transforms.formats.verl import VerlAdapter
from transforms.reading.outline import Outline, keys_of

CLAIMING: Final[tuple[Adapter, ...]] = (
    TauBenchAdapter(),
    Tau2Adapter(),
    InspectAdapter(),
    OtlpAdapter(),
    VerifiersTracesAdapter(),
    VerifiersAdapter(),
    VerlAdapter(),
    SkyRLAdapter(),
    InterCodeAdapter(),
    HarborAdapter(),
    TerminalBenchAdapter(),
    AtifAdapter(),
    MiniSweAgentAdapter(),
    OpenHandsAdapter(),
    OpenHandsEventsAdapter(),
    ClaudeCodeAdapter(),
    CodexAdapter(),
    ReflexionAdapter(),
    SweAgentAdapter(),
    OpenAIResponsesAdapter(),
    AdpAdapter(),
    SweSmithAdapter(),
    SweGymOpenHandsAdapter(),
    NebiusSweAgentAdapter(),
    SweRebenchOpenHandsAdapter(),
    TerminusRowsAdapter(),
    ShareGptAdapter(),
    OpenAIChatAdapter(),
)
"""Adapters in the order in which they are asked: the ones with the most telling content first."""
OF_SEVERAL_FILES: Final = frozenset({"harbor", "openhands_events", "claude_code"})
"""Adapters whose sidecars are parts of the record itself: such a file is no unit, whoever claims its content."""
UNKNOWN: Final[Adapter] = UnknownAdapter()
UNREADABLE: Final[Adapter] = UnreadableAdapter()
ALL_ADAPTERS: Final = (*CLAIMING, UNKNOWN, UNREADABLE)
_BY_NAME: Final = {adapter.name: adapter for adapter in ALL_ADAPTERS}

_EMPTY: Final = (
    (".parquet", UNREADABLE),
    (".traj", _BY_NAME["swe_agent"]),
    (".traj.json", _BY_NAME["mini_swe_agent"]),
)


def adapter_named(name: str) -> Adapter:
    """Return the adapter of that name."""
    return _BY_NAME[name]


def detect(outline: Outline, settings: IngestSettings, *, uri: str) -> Adapter:
    """Return the adapter that reads a file: the one `ingest.format` names, else the first that claims its content.

    A named format reads whatever could hold it; text that is no JSON stays unknown, and so does an archive that
    another format claims. An empty file has no content to go by, so its name decides: an empty line file has no
    records, an empty Parquet file or trajectory is damaged.
    """
    if outline.shape == "empty":
        return next((adapter for end, adapter in _EMPTY if uri.endswith(end)), adapter_named("openai_chat"))
    if outline.shape == "other":
        return UNKNOWN
    if outline.shape == "zip":
        found = claimant(outline, settings)
        return found if found is not None and settings.format in {"auto", found.name} else UNKNOWN
    if settings.format != "auto":
        return adapter_named(settings.format)
    return claimant(outline, settings) or UNKNOWN


def claimant(outline: Outline, settings: IngestSettings) -> Adapter | None:
    """Return the first adapter that claims a file's content, whatever format is named.

    Of lines that are not alike each is asked about by itself, and the adapter that claims most of them reads the file:
    a stray row does not choose for the others. Of equally many the one that is asked first reads it.
    """
    if len({frozenset(record) for record in outline.records}) > 1:
        claimed = [_first_claimant(_of_row(outline, record), settings) for record in outline.records]
        votes = Counter(CLAIMING.index(adapter) for adapter in claimed if adapter is not None)
        if votes:
            return CLAIMING[min(votes, key=lambda place: (-votes[place], place))]
    return _first_claimant(outline, settings)


def _first_claimant(outline: Outline, settings: IngestSettings) -> Adapter | None:
    return next((adapter for adapter in CLAIMING if adapter.claims(outline, settings)), None)


def _of_row(outline: Outline, record: dict[str, Any]) -> Outline:
    """Return the outline of a file of rows that are all as this one; two, since one line may be a document."""
    return outline._replace(keys=keys_of(record), records=(record, record))
