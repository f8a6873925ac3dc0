print {}
