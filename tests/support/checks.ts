/** Whether to run checks that need many requests, much data, or programs that may not be installed. */
export const allChecks = process.env.CADASTRE_CHECKS === "all";
