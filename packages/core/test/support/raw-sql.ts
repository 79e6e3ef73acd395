/** SQL for tests of other packages, which do not depend on the query builder. */
export { sql } from 'kysely';
