"""The base of every setting: immutable, and an unknown key is an error."""

from pydantic import BaseModel, ConfigDict


class Setting(BaseModel):
    """A frozen record of choices; two settings are equal when all their fields are. Numbers in it are finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
