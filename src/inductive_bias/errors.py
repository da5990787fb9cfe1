"""Errors that a user can mend; the command line prints their one paragraph and exits with 2."""


class UserError(Exception):
    """Base of every error that names a wrong value, file or setting and what was expected instead."""


class DataError(UserError):
    """A data file is missing, truncated, of an unknown format, or not the one its checksum promises."""


class StoreError(UserError):
    """A run could not be saved or read back."""


class SettingError(UserError):
    """A study, scale, device or setting that does not exist or is out of range."""
