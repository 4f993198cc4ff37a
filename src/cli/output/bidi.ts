/**
 * The characters that change in which direction text is shown, for a class of a regular expression. A terminal obeys
 * them, and what is read is not what is there. `src/pi/plain.ts` has them too: nothing of ours is loaded into pi.
 */
export const BIDI_CONTROLS = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
