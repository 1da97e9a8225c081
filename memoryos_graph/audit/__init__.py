"""What was done to a user's memory, whether the record of it is whole, and whether the database keeps its rules."""
