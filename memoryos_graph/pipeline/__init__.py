"""What the service does with a turn, in this order.

turn → intake (Page, durable, no model) → indexing (vector, keywords) → migration (chain, topics → segments)
     → promotion (claims of hot segments → quoted facts)

Each step has three beats: read what is needed, decide without a transaction, write once under the user's lock if the
inputs are unchanged. Doing a step twice changes nothing the second time.
"""
