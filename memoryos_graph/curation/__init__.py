"""What a person changes: each verb is one write under the lock of the user, with its Event."""
