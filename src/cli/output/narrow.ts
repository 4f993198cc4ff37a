/**
 * Characters of one column each that join with no neighbour, for a class of an expression: European letters, quotation
 * marks and dashes, the characters of tables and bars.
 */
export const NARROW = String.raw` -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2500-\u259f`;
