/** Also what needs many requests, much data or programs that a machine may lack. */
export const allChecks = process.env.CADASTRE_CHECKS === "all";
