"""Scenes: where everybody is decides what can be done there (DH 10, 18, 29)."""

from typing import Annotated

from msgspec import Meta

from domain.deckahedron.sheet import DeckahedronDecision, DeckahedronState, Scene
from domain.system.story import Begins
from domain.turn import Action, Event, Sentence


class BeginScene(Action, frozen=True, kw_only=True, tag="deckahedron.scene"):
    """Begin a scene: combat, travel, camp or haven.

    A camp is calm; a haven is peaceful and has all that healing takes.
    """

    scene: Annotated[
        Scene,
        Meta(
            description="combat, travel, camp (calm) or haven (peaceful, with resources)",
        ),
    ]

    def decide(self, decision: DeckahedronDecision) -> None:
        decision.tell(SceneBegan(self.scene))


class SceneBegan(Event, frozen=True, tag="deckahedron.scene_began"):
    """A scene begins; no foe is in a superior position yet."""

    scene: Scene

    def sentence(self) -> Sentence:
        return (
            {
                "combat": "A fight begins.",
                "travel": "The journey goes on.",
                "camp": "Camp is made; it is calm.",
                "haven": "The party is in a haven: peaceful, with all that healing takes.",
            }[self.scene],
        )

    def in_story(self) -> Begins:
        return Begins("scene", self.sentence()[0].rstrip("."))

    def fold(self, state: DeckahedronState) -> None:
        state.change_table(scene=self.scene, foe_superior=False)
