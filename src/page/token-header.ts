/** Which every request for data must have. A page of another origin cannot set it. */
export const tokenHeader = "memory-page-token";
