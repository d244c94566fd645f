//! What a mutation field answers: the number of rows, and what `returning` shows of them.
