-- The image of PostgreSQL runs this file once, when the volume is empty, as its superuser. The service gets an account
-- that owns its database and nothing else, with the password in POSTGRES_PASSWORD. Afterwards the superuser has no
-- password, so that it can log in only inside of the container: docker compose exec postgres psql --username=postgres
\getenv password POSTGRES_PASSWORD
CREATE ROLE plants LOGIN PASSWORD :'password';
CREATE DATABASE plants OWNER plants;
ALTER ROLE CURRENT_USER PASSWORD NULL;
