-- Sites, the users who belong to each, their API keys, and who is online.
-- Times are milliseconds since the epoch; a *_key column is the folded form of its neighbour.

create table sites (
    {identity},
    name {text} not null,
    type {int} not null,
    owner_id {int} not null,
    config {text} not null,
    created_at {int} not null
-- [postgres]
    , primary key (id)
-- [both]
) {table};
create unique index sites_by_name on sites (name);
create index sites_by_owner on sites (owner_id);

create table users (
    {identity},
    site_id {int} not null,
    username {text} not null,
    username_key {text} not null,
    email {text},
    email_key {text},
    password {text} not null,
    level {int} not null,
    type {int} not null,
    points {int} not null default 0,
    var {text} not null default '{}',
    -- Tokens issued before this second are void; see features/identity/tokens.py.
    tokens_from {int} not null default 0,
    last_token_at {int} not null default 0,
    created_at {int} not null,
    last_login_at {int} not null default 0,
    {site_key}
) {table};
create unique index users_by_username on users (site_id, username_key);
create unique index users_by_email on users (site_id, email_key);
create index users_by_level on users (site_id, level, id);
create index users_by_points on users (site_id, points, id);
create index users_by_created_at on users (site_id, created_at, id);
create index users_by_last_login_at on users (site_id, last_login_at, id);

-- How many users of each type and level a site has. Kept by triggers, so that no code path can forget it.
-- On Postgres several slots share the load, since a row can be updated by one transaction at a time.
create table user_counts (
    site_id {int} not null,
    type {int} not null,
    level {int} not null,
    slot {int} not null,
    n {int} not null,
    primary key (site_id, type, level, slot)
) {table};

-- [sqlite]
create trigger user_counts_insert after insert on users begin
    insert into user_counts values (new.site_id, new.type, new.level, 0, 1)
        on conflict do update set n = n + 1;
end;
create trigger user_counts_update after update of type, level on users begin
    update user_counts set n = n - 1 where site_id = old.site_id and type = old.type and level = old.level;
    insert into user_counts values (new.site_id, new.type, new.level, 0, 1)
        on conflict do update set n = n + 1;
end;
create trigger user_counts_delete after delete on users begin
    update user_counts set n = n - 1 where site_id = old.site_id and type = old.type and level = old.level;
end;

create virtual table users_search using fts5 (
    site, username_key, email_key, tokenize = 'trigram case_sensitive 1', detail = none
);
create trigger users_search_insert after insert on users begin
    insert into users_search (rowid, site, username_key, email_key)
        values (new.id, '<' || new.site_id || '>', new.username_key, new.email_key);
end;
create trigger users_search_update after update of username_key, email_key on users begin
    delete from users_search where rowid = old.id;
    insert into users_search (rowid, site, username_key, email_key)
        values (new.id, '<' || new.site_id || '>', new.username_key, new.email_key);
end;
create trigger users_search_delete after delete on users begin
    delete from users_search where rowid = old.id;
end;

-- [postgres]
create function sitehive_count_user(site bigint, kind bigint, rank bigint, change bigint) returns void
language sql as $$
    insert into user_counts as c values (site, kind, rank, pg_backend_pid() % 16, change)
        on conflict (site_id, type, level, slot) do update set n = c.n + change
$$;
create function sitehive_count_users() returns trigger language plpgsql as $$
begin
    if tg_op <> 'INSERT' then
        perform sitehive_count_user(old.site_id, old.type, old.level, -1);
    end if;
    if tg_op <> 'DELETE' then
        perform sitehive_count_user(new.site_id, new.type, new.level, 1);
    end if;
    return null;
end
$$;
create trigger user_counts_change after insert or delete or update of type, level on users
    for each row execute function sitehive_count_users();

-- The trigrams of a text, each marked with its site, so that one site's texts never slow another's search.
create function sitehive_grams(site bigint, value text) returns text[]
language sql immutable parallel safe as $$
    select coalesce(array_agg(distinct site || ':' || c || c2 || c3), '{}')
    from (
        select c, lead(c, 1) over w as c2, lead(c, 2) over w as c3
        from unnest(string_to_array(value, null)) with ordinality as letters (c, place)
        window w as (order by place)
    ) as triples
    where c3 is not null
$$;
create table users_search (
    site_id bigint not null,
    rowid bigint not null,
    username_key text collate "C" not null,
    email_key text collate "C",
    primary key (site_id, rowid)
);
create index users_search_username on users_search using gin (sitehive_grams(site_id, username_key));
create index users_search_email on users_search using gin (sitehive_grams(site_id, email_key));
create function sitehive_search_users() returns trigger language plpgsql as $$
begin
    if tg_op <> 'INSERT' then
        delete from users_search where site_id = old.site_id and rowid = old.id;
    end if;
    if tg_op <> 'DELETE' then
        insert into users_search values (new.site_id, new.id, new.username_key, new.email_key);
    end if;
    return null;
end
$$;
create trigger users_search_change after insert or delete or update of username_key, email_key on users
    for each row execute function sitehive_search_users();
-- [both]

create table api_keys (
    {identity},
    site_id {int} not null,
    owner_id {int} not null,
    name {text} not null,
    -- HMAC-SHA-256 of the key. The key itself is shown once and never stored.
    hash {text} not null,
    prefix {text} not null,
    level {int} not null,
    scopes {text} not null,
    created_at {int} not null,
    last_used_at {int},
    expires_at {int},
    revoked_at {int},
    {site_key}
) {table};
-- A request with a key names no site, so this one look-up cannot begin with it.
create unique index api_keys_by_hash on api_keys (hash);

create table online (
    site_id {int} not null,
    -- `u<user id>`, or `g` and a digest of a guest's token.
    visitor {text} not null,
    user_id {int} not null,
    -- The page the visitor is on; 0 when it is not known.
    page_id {int} not null default 0,
    since {int} not null,
    last_seen_at {int} not null,
    ip {text} not null,
    user_agent {text} not null,
    primary key (site_id, visitor)
) {table};
create index online_by_last_seen_at on online (site_id, last_seen_at);
create index online_by_user on online (site_id, user_id, last_seen_at);
