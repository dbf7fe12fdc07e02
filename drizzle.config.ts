// For Drizzle Studio, which only looks at the database: db/migrations is written by hand. See CONTRIBUTING.md.
export default {
  dialect: "postgresql",
  schema: "./db/tables/*.ts",
  dbCredentials: { url: process.env.DATABASE_URL ?? "" },
};
