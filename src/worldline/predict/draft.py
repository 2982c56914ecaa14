"""The text behind a prompt, as it grows: some of it is given, some of it a model writes."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.codecs import Special
from worldline.engines import Engine, Reply, Request, Usage
from worldline.errors import EngineError
from worldline.predict.vocabulary import Ids, Vocabulary


class BudgetSpent(Exception):  # noqa: N818
    """The token budget has ended a draft: a result, told to whoever began it."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model chooses its tokens."""

    temperature: float = 0.0
    seed: int | None = None


class Draft:
    """Token ids behind a prompt. Each request's prompt is all that came before, id for id, so
    that a server's prefix cache has computed it already."""

    def __init__(
        self,
        engine: Engine,
        vocabulary: Vocabulary,
        prompt: Ids,
        *,
        budget: int,
        sampling: Sampling,
    ) -> None:
        self.engine = engine
        self.vocabulary = vocabulary
        self.prompt = prompt
        self.budget = budget
        self.sampling = sampling
        self.ids: list[int] = []
        self.text = ""
        # Places in the text that were given, not written.
        self.given: list[tuple[int, int]] = []
        self.usage = Usage()

    @property
    def left(self) -> int:
        """How many more tokens the budget allows."""
        return self.budget - len(self.ids)

    async def give(self, pieces: Sequence[str]) -> None:
        """Add what the model need not write."""
        for piece, ids in zip(pieces, await self.vocabulary.encode(pieces), strict=True):
            self.give_ids(ids, piece)

    def give_ids(self, ids: Ids, text: str) -> None:
        """Add a piece whose ids are known."""
        if len(ids) > self.left:
            raise BudgetSpent
        start = len(self.text)
        if self.given and self.given[-1][1] == start:
            start = self.given.pop()[0]
        self.ids += ids
        self.text += text
        self.given.append((start, len(self.text)))

    async def write(self, stops: Sequence[Special]) -> Special | None:
        """Let the model go on to one of these tokens; says which, none if it ended otherwise."""
        stop_ids = tuple(self.vocabulary.specials[special] for special in stops)
        reply = await self._ask(self.left, stop_ids=stop_ids)
        self._add(reply)
        last = self.vocabulary.names.get(self.ids[-1]) if reply.ids else None
        if reply.finish == "length":
            raise BudgetSpent
        return last if last in stops else None

    async def write_within(self, grammar: str, end: Special) -> None:
        """Let the model write what a grammar allows, and end it with a token.

        A server takes stop tokens for ends of the grammar, and the model chooses among them and
        its own; which one says nothing, so it is left out and the right one given.
        """
        end_ids = (self.vocabulary.specials[end],)
        reply = await self._ask(self.left, stop_ids=end_ids, grammar=grammar)
        if reply.finish == "length":
            self._add(reply)
            raise BudgetSpent
        last = reply.ids[-1:]
        # A model may end its text with a token that is not of the format.
        self.text += reply.text.removesuffix(await self._spelled(last))
        self.ids += reply.ids[:-1]
        self.give_ids(end_ids, end)

    async def choose(
        self, options: Sequence[Sequence[str]], *, ends: Sequence[Special] = ()
    ) -> int:
        """Let the model choose among pieces, greedily, at each token that tells some apart, and
        add what it chose. Returns the first option that is like it; one alone is given.

        Where one option is the start of another, any of the tokens `ends` chooses the shorter; it
        is not added.
        """
        end_ids = {self.vocabulary.specials[special] for special in ends}
        encoded = [sum(await self.vocabulary.encode(pieces), ()) for pieces in options]
        remaining = set(encoded)
        chosen: Ids = ()
        is_asked = False
        while any(len(ids) > len(chosen) for ids in remaining):
            if len(chosen) >= self.left:
                raise BudgetSpent
            next_ids = {ids[len(chosen)] for ids in remaining if len(ids) > len(chosen)}
            following = tuple(sorted(next_ids | (end_ids if chosen in remaining else set())))
            if len(following) > 1:
                is_asked = True
                reply = await self._ask(1, allowed_ids=following, behind=chosen)
                following = reply.ids
            if following[0] not in next_ids:
                break
            chosen = (*chosen, following[0])
            remaining = {ids for ids in remaining if ids[: len(chosen)] == chosen}
        index = encoded.index(chosen)
        if is_asked:
            self.ids += chosen
            self.text += "".join(options[index])
        else:
            self.give_ids(chosen, "".join(options[index]))
        return index

    async def _ask(
        self,
        most: int,
        *,
        stop_ids: Ids = (),
        allowed_ids: Ids = (),
        grammar: str | None = None,
        behind: Ids = (),
    ) -> Reply:
        if most <= 0:
            raise BudgetSpent
        request = Request(
            prompt=(*self.prompt, *self.ids, *behind),
            max_tokens=most,
            stop_ids=stop_ids,
            allowed_ids=allowed_ids,
            grammar=grammar,
            temperature=self.sampling.temperature,
            seed=self._seed(),
        )
        reply = await self.engine.generate(request)
        if allowed_ids and reply.ids[:1] not in [(token,) for token in allowed_ids]:
            raise EngineError(f"{self.engine.name} wrote a token that it was not allowed to")
        self.usage += reply.usage
        return reply

    def _seed(self) -> int | None:
        """Another seed for each request: the same would choose alike at every step. One that had
        to be repeated counts once, so that a failure changes nothing."""
        seed, number = self.sampling.seed, self.usage.requests - self.usage.retries
        return None if seed is None else (seed * 1_000_003 + number) % 2**31

    async def _spelled(self, ids: Ids) -> str:
        named = [self.vocabulary.names.get(token) for token in ids]
        return "".join(filter(None, named)) if all(named) else await self.engine.spell(ids)

    def _add(self, reply: Reply) -> None:
        self.ids += reply.ids
        self.text += reply.text
        last = self.vocabulary.names.get(reply.ids[-1]) if reply.ids else None
        # Servers leave the token out that they stopped at.
        if last is not None and not reply.text.endswith(last):
            self.text += last
