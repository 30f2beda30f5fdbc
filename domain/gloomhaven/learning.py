"""What the log has learned of classes and items, so that no file is needed to read it later."""

from domain.gloomhaven.facts import ClassFacts, ItemFacts
from domain.gloomhaven.sheet import GloomhavenDecision, GloomhavenState
from domain.naming import called, listed
from domain.turn import Event, Sentence


class ClassLearned(Event, frozen=True, gc=False, tag="gloomhaven.class_learned"):
    """The facts of a class come into the log with its first character, so that no file is needed later."""

    facts: ClassFacts

    def told(self) -> Sentence:
        return (f"The {called(self.facts.class_)}'s cards enter the log.",)

    def fold(self, state: GloomhavenState) -> None:
        items = {item.id: item for item in self.facts.items}
        state.change_table(
            classes={**state.table.classes, self.facts.class_: self.facts}, items={**state.table.items, **items}
        )


class ItemsLearned(Event, frozen=True, gc=False, tag="gloomhaven.items_learned"):
    """The facts of items come into the log when somebody first owns them."""

    facts: tuple[ItemFacts, ...]

    def told(self) -> Sentence:
        enters = "enters" if len(self.facts) == 1 else "enter"
        return (f"{listed(item.name for item in self.facts)} {enters} the log.",)

    def fold(self, state: GloomhavenState) -> None:
        state.change_table(items={**state.table.items, **{item.id: item for item in self.facts}})


def learn_items(decision: GloomhavenDecision, *items: ItemFacts) -> None:
    """The facts of items come into the log when they are first owned."""
    new = tuple(facts for facts in items if facts.id not in decision.table.items)
    if new:
        decision.tell(ItemsLearned(new))
