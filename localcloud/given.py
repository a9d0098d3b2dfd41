"""What a person or a test sends to `/_control` or writes into a seed, checked whole before it is kept.

A value of a wrong type must not get into the state: it would fail later, in every request that meets it.
"""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from localcloud.errors import ApiError

SHOWN = 3
"""So many mistakes are named at once."""

Seconds = Annotated[float, Field(ge=0, le=10**9, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=10**9)]


class Given(BaseModel):
    """A frozen, strict model: no unknown key, no text where a number belongs. JSON names are in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, strict=True)


Model = TypeVar("Model", bound=Given)


def checked(model: type[Model], what: str, body: object) -> Model:
    """The body as the model, or the refusal; `what` names the body in it ("a seed")."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        # Without the values: a user's seed may carry a token.
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        sentences = [_sentence(model, what, problem) for problem in problems[:SHOWN]]
        more = f" ({len(problems) - SHOWN} more)" if len(problems) > SHOWN else ""
        raise ApiError(400, "invalid_input", "; ".join(sentences) + more) from None


def _sentence(model: type[Given], what: str, problem: Any) -> str:
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        known = f"; it has {', '.join(names(model))}" if len(problem["loc"]) == 1 else ""
        return f"{what} has no key {place}{known}"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{what}: {place}: {message}" if place else f"{what}: {message}"


def names(model: type[Given]) -> list[str]:
    """The keys of a model as they are written in JSON."""
    return [field.alias or name for name, field in model.model_fields.items()]
