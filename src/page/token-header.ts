/** The header that every request for data needs. A page of another origin cannot set it. */
export const tokenHeader = "memory-page-token";
