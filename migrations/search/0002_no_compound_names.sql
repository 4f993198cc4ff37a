-- The parts of names like sessionManager are words of the entry's own text by now.
DROP TABLE compound_names;
