"""The line that is typed at the table: one small language for every surface that takes it.

To be read in this order:

* `understanding`: the entry; a line in, and its actions or a question out. `errors`: the one error. `context`: what a
  line is understood against.
* `words`: a line as its words. `verbs`: what it begins with. `people`, `values`: whom and what words mean.
* `grammar`: what each verb takes, in which order. `reading`: the words behind a verb, from left to right. `said`: what
  they have said so far. `field_values`: which of them fill a field.
* `doubts`: what may be two things. `lacking`: what is missing, and what fits nowhere.
* `manner`: what a line says about itself. `tracking`: lines about tracked values. `amending`: lines that amend an
  earlier turn. `why_subject`: what `why` is asked about.
* `guiding`: how a line may go on while it is typed. `spelling`: an action as a line that means it. `notices`: what is
  said beside a line. `trials`: why an action can be done by nobody. `evening`: lines that are shown as examples.
"""
