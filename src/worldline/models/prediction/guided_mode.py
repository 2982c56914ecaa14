"""Generation in the mode `guided`, along the control-flow graph, without the actual trace.

The next step must be one that can follow in the program's source. A single possible step is
forced; among several, the model chooses.
"""

from collections.abc import Sequence

from worldline.core.errors import ProgramError
from worldline.core.trace import Program, Step
from worldline.languages.control_flow import CfgSimulator, NextStep, build_cfg
from worldline.models.codecs import ReplayState, RoleSegments, SpecialToken, StepCodec
from worldline.models.prediction.constrained_generation import ConstrainedGeneration


async def generate_guided(
    completion: ConstrainedGeneration,
    codec: StepCodec,
    program: Program,
    forced_steps: Sequence[Step],
    *,
    max_value_chars: int | None,
) -> None:
    """Let the model choose a path through the graph and generate the state of each step.

    Args:
        completion: the completion so far.
        codec: codec of the completion.
        program: the program.
        forced_steps: the actual steps that the completion begins with.
        max_value_chars: limit on the length of values, enforced by a grammar; None for an engine
            without grammars, for which a malformed state ends the completion.
    """
    simulator, replay = (
        CfgSimulator(build_cfg(program.text, language=program.language), program),
        ReplayState(program),
    )
    for step in forced_steps:
        _follow(simulator, NextStep(step.event, step.line))
        replay.advance(step.event, step.line, scope=step.scope)
    while not simulator.is_over:
        options = await _generate_step(completion, codec, replay, simulator, max_value_chars)
        if not options:
            return
        simulator.take(*options)
        replay.advance(options[0].event, options[0].line)
    await completion.force((codec.end_token,))


def _follow(simulator: CfgSimulator, option: NextStep) -> None:
    """Advance the simulator by an actual step."""
    if option not in simulator.options:
        raise ProgramError(
            f"the actual execution has a step ({option.event}, line {option.line}) that is not in "
            "its control-flow graph; omit --python, so that it runs on the Python of worldline"
        )
    simulator.take(option)


async def _generate_step(
    completion: ConstrainedGeneration,
    codec: StepCodec,
    replay: ReplayState,
    simulator: CfgSimulator,
    max_value_chars: int | None,
) -> list[NextStep]:
    """Generate one step that is among the simulator's options.

    Returns:
        The option that the model chose; several if their lines have the same text, and none if the
        state is malformed.
    """
    candidates = [(o, codec.encode_step(o.event, o.line, replay)) for o in simulator.options]
    # The first part decides the event; all candidates left then have the same roles.
    for index in range(max(len(parts) for _, parts in candidates)):
        if index == len(candidates[0][1]):
            break
        part = candidates[0][1][index]
        if part.role == "action":
            actions = [parts[index].segments for _, parts in candidates]
            chosen = actions[await completion.choose(actions, ends=tuple(codec.special_tokens))]
            candidates = [(o, parts) for o, parts in candidates if parts[index].segments == chosen]
        elif all(simulator.is_unwound(option) for option, _ in candidates):
            await completion.force(
                tuple(filter(None, (codec.no_value(replay.program), part.segments[-1])))
            )
        elif not await _generate_state(completion, codec, candidates[0][0], part, max_value_chars):
            return []
    return [option for option, _ in candidates]


async def _generate_state(
    completion: ConstrainedGeneration,
    codec: StepCodec,
    option: NextStep,
    part: RoleSegments,
    max_value_chars: int | None,
) -> bool:
    """Let the model generate a state; false if it ends with a wrong token."""
    end = part.segments[-1]
    if max_value_chars is None or not isinstance(end, SpecialToken):
        return await completion.generate_until(tuple(codec.special_tokens)) == end
    await completion.generate_within(
        codec.state_grammar(option.event, max_value_chars=max_value_chars), end
    )
    return True
