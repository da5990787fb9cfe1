"""The base of every setting: immutable, and an unknown key is an error."""

from pydantic import BaseModel, ConfigDict


class Setting(BaseModel):
    """A frozen record of choices; two settings are equal when all their fields are."""

    model_config = ConfigDict(frozen=True, extra="forbid")
