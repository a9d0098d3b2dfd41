"""What can go wrong between a template and the user data of a machine."""


class RenderingError(Exception):
    """Root of this package's errors; the message is a sentence for the operator."""


class TemplateError(RenderingError):
    """A template is missing, malformed, or was given a value it cannot hold."""


class ButaneMissingError(RenderingError):
    """No butane binary was found."""


class ButaneError(RenderingError):
    """butane refused a config, or warned about one (warnings are treated as errors)."""


class IgnitionError(RenderingError):
    """A text is not an Ignition config this package can read."""


class UserDataTooLargeError(RenderingError):
    """A config does not fit into a server's user data, not even compressed.

    Attributes:
        size_bytes: length of the compressed user data in UTF-8 bytes.
        limit_bytes: what the provider accepts.
        contributors: (path, bytes of the file as text), the one that costs most first.
    """

    def __init__(
        self, machine: str, size_bytes: int, limit_bytes: int, contributors: list[tuple[str, int]]
    ) -> None:
        self.size_bytes = size_bytes
        self.limit_bytes = limit_bytes
        self.contributors = contributors
        parts = ", ".join(f"{path} ({size:,} bytes)" for path, size in contributors)
        super().__init__(
            f"{machine}: the user data is {size_bytes:,} bytes after compression, and a server takes at most "
            f"{limit_bytes:,} bytes; what takes most of the room: {parts}. "
            "Make these smaller or leave some of them out."
        )
