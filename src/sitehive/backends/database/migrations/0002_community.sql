-- Forums, posts, messages, and the numbers that go with them.

-- How many rows a list has, for each combination of its filters; -1 stands for "any".
create table tallies (
    site_id {int} not null,
    list {text} not null,
    a {int} not null,
    b {int} not null,
    c {int} not null,
    n {int} not null,
    primary key (site_id, list, a, b, c)
) {table};

create table forums (
    {identity},
    site_id {int} not null,
    name {text} not null,
    name_key {text} not null,
    position {int} not null,
    -- 0 for a forum at the top.
    parent_id {int} not null,
    owner_id {int} not null,
    create_post_level {int} not null default 0,
    reply_level {int} not null default 0,
    created_at {int} not null,
    -- Set while a removed forum's posts are still on their way to the trash.
    removed_at {int},
    {site_key}
) {table};
create index forums_by_parent on forums (site_id, parent_id, position, id);
create index forums_by_owner on forums (site_id, owner_id, position, id);
create index forums_by_position on forums (site_id, position, id);

create table posts (
    {identity},
    site_id {int} not null,
    -- 0 when the forum is gone.
    forum_id {int} not null,
    owner_id {int} not null,
    title {text} not null,
    title_key {text} not null,
    content {text} not null,
    status {int} not null,
    -- What a post in the trash goes back to.
    former_status {int} not null,
    format {text} not null,
    thumb {text} not null,
    var {text} not null,
    created_at {int} not null,
    updated_at {int} not null,
    {site_key}
) {table};
create index posts_by_status on posts (site_id, status, id);
create index posts_by_forum on posts (site_id, forum_id, status, id);
create index posts_by_forum_in_order on posts (site_id, forum_id, id, status);
create index posts_by_owner on posts (site_id, owner_id, status, id);
create index posts_by_owner_in_order on posts (site_id, owner_id, id, status);
create index posts_by_updated_at on posts (site_id, updated_at, id);
create index posts_by_title on posts (site_id, title_key, id);

-- How many posts lie in each span of 2^6, 2^12 and 2^18 identifiers, over the whole site (forum -1) and in each forum.
-- The widest spans add up to totals; going from wide to narrow finds the post at any place of a list at once.
create table post_ranks (
    site_id {int} not null,
    forum_id {int} not null,
    status {int} not null,
    span {int} not null,
    bucket {int} not null,
    n {int} not null,
    primary key (site_id, forum_id, status, span, bucket)
-- [sqlite]
) strict, without rowid;
-- [postgres]
);
-- [both]

create table messages (
    {identity},
    site_id {int} not null,
    sender_id {int} not null,
    receiver_id {int} not null,
    content {text} not null,
    created_at {int} not null,
    {site_key}
) {table};

-- Each party's own view of a message: what one deletes, the other may keep.
create table mailbox (
    site_id {int} not null,
    user_id {int} not null,
    partner_id {int} not null,
    message_id {int} not null,
    unread {int} not null,
    primary key (site_id, user_id, partner_id, message_id)
) {table};
create index mailbox_by_message on mailbox (site_id, user_id, message_id);

create table conversations (
    site_id {int} not null,
    user_id {int} not null,
    partner_id {int} not null,
    last_message_id {int} not null,
    total {int} not null,
    unread {int} not null,
    primary key (site_id, user_id, partner_id)
) {table};
create index conversations_by_last_message on conversations (site_id, user_id, last_message_id);

create table mailbox_totals (
    site_id {int} not null,
    user_id {int} not null,
    total {int} not null,
    unread {int} not null,
    partners {int} not null,
    primary key (site_id, user_id)
) {table};

-- [sqlite]
create virtual table posts_search using fts5 (
    site, title, body, tokenize = 'trigram case_sensitive 1', detail = none
);

create trigger forums_insert after insert on forums begin
    insert into tallies values
        (new.site_id, 'forums', new.parent_id, new.owner_id, 0, 1), (new.site_id, 'forums', new.parent_id, -1, 0, 1),
        (new.site_id, 'forums', -1, new.owner_id, 0, 1), (new.site_id, 'forums', -1, -1, 0, 1)
        on conflict do update set n = n + excluded.n;
end;
create trigger forums_delete after delete on forums when old.removed_at is null begin
    insert into tallies values
        (old.site_id, 'forums', old.parent_id, old.owner_id, 0, -1), (old.site_id, 'forums', old.parent_id, -1, 0, -1),
        (old.site_id, 'forums', -1, old.owner_id, 0, -1), (old.site_id, 'forums', -1, -1, 0, -1)
        on conflict do update set n = n + excluded.n;
end;
create trigger forums_update after update of parent_id, removed_at on forums when old.removed_at is null begin
    insert into tallies values
        (old.site_id, 'forums', old.parent_id, old.owner_id, 0, -1), (old.site_id, 'forums', old.parent_id, -1, 0, -1),
        (old.site_id, 'forums', -1, old.owner_id, 0, -1), (old.site_id, 'forums', -1, -1, 0, -1)
        on conflict do update set n = n + excluded.n;
    insert into tallies select * from (values
        (new.site_id, 'forums', new.parent_id, new.owner_id, 0, 1), (new.site_id, 'forums', new.parent_id, -1, 0, 1),
        (new.site_id, 'forums', -1, new.owner_id, 0, 1), (new.site_id, 'forums', -1, -1, 0, 1)
    ) where new.removed_at is null
        on conflict do update set n = n + excluded.n;
end;

create trigger posts_insert after insert on posts begin
    insert into tallies values
        (new.site_id, 'posts', new.forum_id, new.owner_id, new.status, 1),
        (new.site_id, 'posts', -1, new.owner_id, new.status, 1)
        on conflict do update set n = n + 1;
    insert into post_ranks values
        (new.site_id, -1, new.status, 6, new.id >> 6, 1), (new.site_id, new.forum_id, new.status, 6, new.id >> 6, 1),
        (new.site_id, -1, new.status, 12, new.id >> 12, 1), (new.site_id, new.forum_id, new.status, 12, new.id >> 12, 1),
        (new.site_id, -1, new.status, 18, new.id >> 18, 1), (new.site_id, new.forum_id, new.status, 18, new.id >> 18, 1)
        on conflict do update set n = n + 1;
end;
create trigger posts_delete after delete on posts begin
    insert into tallies values
        (old.site_id, 'posts', old.forum_id, old.owner_id, old.status, -1),
        (old.site_id, 'posts', -1, old.owner_id, old.status, -1)
        on conflict do update set n = n - 1;
    insert into post_ranks values
        (old.site_id, -1, old.status, 6, old.id >> 6, -1), (old.site_id, old.forum_id, old.status, 6, old.id >> 6, -1),
        (old.site_id, -1, old.status, 12, old.id >> 12, -1), (old.site_id, old.forum_id, old.status, 12, old.id >> 12, -1),
        (old.site_id, -1, old.status, 18, old.id >> 18, -1), (old.site_id, old.forum_id, old.status, 18, old.id >> 18, -1)
        on conflict do update set n = n - 1;
    delete from posts_search where rowid = old.id;
end;
create trigger posts_update after update of forum_id, status on posts
when old.forum_id <> new.forum_id or old.status <> new.status begin
    insert into tallies values
        (old.site_id, 'posts', old.forum_id, old.owner_id, old.status, -1),
        (old.site_id, 'posts', -1, old.owner_id, old.status, -1)
        on conflict do update set n = n - 1;
    insert into tallies values
        (new.site_id, 'posts', new.forum_id, new.owner_id, new.status, 1),
        (new.site_id, 'posts', -1, new.owner_id, new.status, 1)
        on conflict do update set n = n + 1;
    insert into post_ranks values
        (old.site_id, -1, old.status, 6, old.id >> 6, -1), (old.site_id, old.forum_id, old.status, 6, old.id >> 6, -1),
        (old.site_id, -1, old.status, 12, old.id >> 12, -1), (old.site_id, old.forum_id, old.status, 12, old.id >> 12, -1),
        (old.site_id, -1, old.status, 18, old.id >> 18, -1), (old.site_id, old.forum_id, old.status, 18, old.id >> 18, -1)
        on conflict do update set n = n - 1;
    insert into post_ranks values
        (new.site_id, -1, new.status, 6, new.id >> 6, 1), (new.site_id, new.forum_id, new.status, 6, new.id >> 6, 1),
        (new.site_id, -1, new.status, 12, new.id >> 12, 1), (new.site_id, new.forum_id, new.status, 12, new.id >> 12, 1),
        (new.site_id, -1, new.status, 18, new.id >> 18, 1), (new.site_id, new.forum_id, new.status, 18, new.id >> 18, 1)
        on conflict do update set n = n + 1;
end;

create trigger mailbox_insert after insert on mailbox begin
    insert into conversations values (new.site_id, new.user_id, new.partner_id, new.message_id, 1, new.unread)
        on conflict do update set last_message_id = max(last_message_id, excluded.last_message_id),
            total = total + 1, unread = unread + excluded.unread;
    insert into mailbox_totals values (new.site_id, new.user_id, 1, new.unread, 0)
        on conflict do update set total = total + 1, unread = unread + excluded.unread;
end;
create trigger mailbox_update after update of unread on mailbox when old.unread <> new.unread begin
    update conversations set unread = unread + new.unread - old.unread
        where site_id = new.site_id and user_id = new.user_id and partner_id = new.partner_id;
    update mailbox_totals set unread = unread + new.unread - old.unread
        where site_id = new.site_id and user_id = new.user_id;
end;
create trigger mailbox_delete after delete on mailbox begin
    update conversations set total = total - 1, unread = unread - old.unread,
        last_message_id = coalesce((select max(message_id) from mailbox
            where site_id = old.site_id and user_id = old.user_id and partner_id = old.partner_id), 0)
        where site_id = old.site_id and user_id = old.user_id and partner_id = old.partner_id;
    update mailbox_totals set total = total - 1, unread = unread - old.unread
        where site_id = old.site_id and user_id = old.user_id;
    delete from conversations
        where site_id = old.site_id and user_id = old.user_id and partner_id = old.partner_id and total = 0;
end;
create trigger conversations_insert after insert on conversations begin
    insert into mailbox_totals values (new.site_id, new.user_id, 0, 0, 1)
        on conflict do update set partners = partners + 1;
end;
create trigger conversations_delete after delete on conversations begin
    update mailbox_totals set partners = partners - 1 where site_id = old.site_id and user_id = old.user_id;
end;

-- [postgres]
create table posts_search (
    site_id bigint not null,
    rowid bigint not null,
    title text collate "C" not null,
    body text collate "C" not null,
    primary key (site_id, rowid)
);
create index posts_search_title on posts_search using gin (sitehive_grams(site_id, title));
create index posts_search_body on posts_search using gin (sitehive_grams(site_id, body));

create function sitehive_tally(site bigint, name text, a bigint, b bigint, c bigint, change bigint) returns void
language sql as $$
    insert into tallies as t values (site, name, a, b, c, change)
        on conflict (site_id, list, a, b, c) do update set n = t.n + change
$$;

create function sitehive_tally_forum(f forums, change bigint) returns void language sql as $$
    select sitehive_tally(f.site_id, 'forums', -1, -1, 0, change) where f.removed_at is null;
    select sitehive_tally(f.site_id, 'forums', -1, f.owner_id, 0, change) where f.removed_at is null;
    select sitehive_tally(f.site_id, 'forums', f.parent_id, -1, 0, change) where f.removed_at is null;
    select sitehive_tally(f.site_id, 'forums', f.parent_id, f.owner_id, 0, change) where f.removed_at is null;
$$;
create function sitehive_count_forums() returns trigger language plpgsql as $$
begin
    if tg_op <> 'INSERT' then
        perform sitehive_tally_forum(old, -1);
    end if;
    if tg_op <> 'DELETE' then
        perform sitehive_tally_forum(new, 1);
    end if;
    return null;
end
$$;
create trigger forums_change after insert or delete or update of parent_id, removed_at on forums
    for each row execute function sitehive_count_forums();

create function sitehive_tally_post(p posts, change bigint) returns void language sql as $$
    select sitehive_tally(p.site_id, 'posts', -1, p.owner_id, p.status, change);
    select sitehive_tally(p.site_id, 'posts', p.forum_id, p.owner_id, p.status, change);
    insert into post_ranks as r values
        (p.site_id, -1, p.status, 6, p.id >> 6, change), (p.site_id, p.forum_id, p.status, 6, p.id >> 6, change),
        (p.site_id, -1, p.status, 12, p.id >> 12, change), (p.site_id, p.forum_id, p.status, 12, p.id >> 12, change),
        (p.site_id, -1, p.status, 18, p.id >> 18, change), (p.site_id, p.forum_id, p.status, 18, p.id >> 18, change)
        on conflict (site_id, forum_id, status, span, bucket) do update set n = r.n + change;
$$;
create function sitehive_count_posts() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and old.forum_id = new.forum_id and old.status = new.status then
        return null;
    end if;
    if tg_op <> 'INSERT' then
        perform sitehive_tally_post(old, -1);
    end if;
    if tg_op <> 'DELETE' then
        perform sitehive_tally_post(new, 1);
    else
        delete from posts_search where site_id = old.site_id and rowid = old.id;
    end if;
    return null;
end
$$;
create trigger posts_change after insert or delete or update of forum_id, status on posts
    for each row execute function sitehive_count_posts();

create function sitehive_mailbox() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into conversations as c values
            (new.site_id, new.user_id, new.partner_id, new.message_id, 1, new.unread)
            on conflict (site_id, user_id, partner_id) do update set
                last_message_id = greatest(c.last_message_id, excluded.last_message_id),
                total = c.total + 1, unread = c.unread + excluded.unread;
        insert into mailbox_totals as t values (new.site_id, new.user_id, 1, new.unread, 0)
            on conflict (site_id, user_id) do update set total = t.total + 1, unread = t.unread + excluded.unread;
    elsif tg_op = 'UPDATE' then
        update conversations set unread = unread + new.unread - old.unread
            where site_id = new.site_id and user_id = new.user_id and partner_id = new.partner_id;
        update mailbox_totals set unread = unread + new.unread - old.unread
            where site_id = new.site_id and user_id = new.user_id;
    else
        -- Waits for a message that is just arriving, so that the next statement sees it.
        perform 1 from conversations
            where site_id = old.site_id and user_id = old.user_id and partner_id = old.partner_id for update;
        update conversations set total = total - 1, unread = unread - old.unread,
            last_message_id = coalesce((select max(message_id) from mailbox
                where site_id = old.site_id and user_id = old.user_id and partner_id = old.partner_id), 0)
            where site_id = old.site_id and user_id = old.user_id and partner_id = old.partner_id;
        update mailbox_totals set total = total - 1, unread = unread - old.unread
            where site_id = old.site_id and user_id = old.user_id;
        delete from conversations
            where site_id = old.site_id and user_id = old.user_id and partner_id = old.partner_id and total = 0;
    end if;
    return null;
end
$$;
create trigger mailbox_change after insert or delete or update of unread on mailbox
    for each row execute function sitehive_mailbox();
create function sitehive_partners() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into mailbox_totals as t values (new.site_id, new.user_id, 0, 0, 1)
            on conflict (site_id, user_id) do update set partners = t.partners + 1;
    else
        update mailbox_totals set partners = partners - 1 where site_id = old.site_id and user_id = old.user_id;
    end if;
    return null;
end
$$;
create trigger conversations_change after insert or delete on conversations
    for each row execute function sitehive_partners();
-- [both]
