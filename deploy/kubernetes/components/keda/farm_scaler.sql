-- The login that counts work for KEDA. It reads in which state runs are, and nothing that they made.
-- After the job `migrate`, which makes the tables; all of it or nothing.
--   psql --set password=... --file farm_scaler.sql postgresql://farm@postgresql/farm
\set ON_ERROR_STOP on
BEGIN;
CREATE ROLE farm_scaler LOGIN PASSWORD :'password';
GRANT USAGE ON SCHEMA public TO farm_scaler;
GRANT SELECT (state, queue_pk, campaign_pk) ON runs TO farm_scaler;
-- Rows of runs are kept back from workers; this login sees in which state all of them are.
CREATE POLICY farm_scaler ON runs FOR SELECT TO farm_scaler USING (true);
GRANT SELECT (pk, name) ON queues TO farm_scaler;
GRANT SELECT (pk, state) ON campaigns TO farm_scaler;
COMMIT;
