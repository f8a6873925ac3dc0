/* A library of the names that programs look for, without a function of theirs. */
int nothing_of_use(void) { return 0; }
