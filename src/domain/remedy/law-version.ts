/** Counted up when the law about remedies becomes stricter: rules that an earlier law judged are judged again. */
export const lawVersion = 3;
