"""The line that is typed at the table: one grammar for every surface that takes it.

The packages in this folder are imported by the lines that need them. To be read in this order:

* `understanding`: the entry; a line in, and its actions, a question or an error out. `errors`: what may be wrong.
* `words`, `verbs`, `values`: what a line is made of. `vocabulary`: the English that people use; `speech`: numbers in
  words and sentences as a line that says the same.
* `grammar`: what the fields of a verb take. `clause`, `reading`: the words behind a verb, and one way to understand
  them. `search`: the likeliest way, of all that `people`, `unnamed_values`, `named_values` and `remarks` find.
* `ambiguities`, `ambiguous`: what is asked about a whole reading. `diagnosis`: why no reading is whole.
* `phrase`, `phrase_readers`, `phrases`: lines that do not begin with their verb. `action_roles`: which action of the
  rules is a loss, a healing or an attack. `offers`: lines to choose from, instead of one that is not understood.
* `tracking`: lines about tracked values; `amending`: lines that amend an earlier turn; `why_subject`: what `why` is
  asked about.
* `completing`: what may follow while a line is typed; `notices`: what is said beside a line; `spelling`: an action as a
  line that means it.
* `evening`, `example_lines`: lines that are shown as examples.
"""
