"""`make recover`: the way back after a run that was killed or lost an answer.

It compares the state with both clouds. What is the cluster's and not in the state is taken into it, as the
engine would have done after the answer that it never got; what cannot be taken in (a machine, whose user data
cannot be read back; a key, whose private half was lost) is deleted, and the next update makes it anew.
"""
