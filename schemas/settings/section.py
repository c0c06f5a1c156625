"""The base of every settings section: strict, frozen, closed, described by the lines under its fields."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A section of the settings; unknown keys, wrong types, NaN and infinities are refused."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        validate_default=True,
        use_attribute_docstrings=True,
    )
