/** Changes the class given, and returns it. */
export function withFirstWriteOf1x<Class>(Pi: Class): Class;
