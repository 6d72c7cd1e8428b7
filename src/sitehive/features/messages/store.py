"""The statements about messages. What each party sees of them is in `mailbox`; triggers keep the numbers."""

from typing import Any

from msgspec import UNSET

from sitehive.features.messages.types import Conversation, ListConversations, ListMessages, Message, SendMessage
from sitehive.features.users.store import is_online, reference
from sitehive.features.users.types import DELETED
from sitehive.kernel.clock import iso
from sitehive.kernel.context import Context
from sitehive.kernel.database import Row
from sitehive.kernel.errors import Invalid, NotFound
from sitehive.kernel.fields import fold
from sitehive.kernel.paging import WINDOW, Page

COLUMNS = """
    messages.id, messages.content, messages.sender_id, senders.username, messages.receiver_id, receivers.username,
    messages.created_at
"""
PARTIES = """
    join users as senders on senders.site_id = messages.site_id and senders.id = messages.sender_id
    join users as receivers on receivers.site_id = messages.site_id and receivers.id = messages.receiver_id
"""
# What the caller sees: their own half of the mailbox.
SELECT = f"""
    select {COLUMNS}, mailbox.unread
    from mailbox join messages on messages.site_id = mailbox.site_id and messages.id = mailbox.message_id {PARTIES}
    where mailbox.site_id = :site_id and mailbox.user_id = :me
"""


async def find(ctx: Context, message_id: int) -> tuple[Message, bool]:
    """A message that the caller sent or received, and whether it is still unread."""
    row = await ctx.db.one(SELECT + " and mailbox.message_id = :id", {**_me(ctx), "id": message_id})
    if row is None:
        raise NotFound
    return _message(ctx, row), bool(row[7])


async def list_(ctx: Context, query: ListMessages) -> Page[Message]:
    params = {**_me(ctx), **query.window}
    if query.userid is UNSET:
        total = await ctx.db.one("select total from mailbox_totals where site_id = :site_id and user_id = :me", params)
        order = " order by mailbox.message_id desc"
    else:
        params["partner"] = query.userid
        total = await ctx.db.one(
            "select total from conversations where site_id = :site_id and user_id = :me and partner_id = :partner",
            params,
        )
        order = " and mailbox.partner_id = :partner order by mailbox.message_id"
    rows = await ctx.db.all(SELECT + order + WINDOW, params)
    return Page.of([_message(ctx, row) for row in rows], total[0] if total else 0, query)


async def unread_with(ctx: Context, partner_id: int) -> tuple[int, int]:
    """How many messages of a partner are unread, and which message is the latest."""
    row = await ctx.db.one(
        "select unread, last_message_id from conversations"
        " where site_id = :site_id and user_id = :me and partner_id = :partner",
        {**_me(ctx), "partner": partner_id},
    )
    return (row[0], row[1]) if row else (0, 0)


async def mark_read(ctx: Context, partner_id: int, up_to: int, start: int = 0) -> None:
    """Mark what a partner wrote as read, as far as the caller has seen it."""
    await ctx.db.run(
        "update mailbox set unread = 0 where site_id = :site_id and user_id = :me and partner_id = :partner"
        " and message_id >= :start and message_id <= :up_to and unread = 1",
        {**_me(ctx), "partner": partner_id, "start": start, "up_to": up_to},
    )


async def find_receiver(ctx: Context, new: SendMessage) -> int:
    field, column, value = (
        ("username", "username_key", fold(str(new.username))) if new.userid is UNSET else ("userid", "id", new.userid)
    )
    row = await ctx.db.one(
        f"select id from users where site_id = :site_id and {column} = :value and type <> {DELETED}",
        {"site_id": ctx.site_id, "value": value},
    )
    if row is None:
        raise Invalid.field(field, "there is no such user")
    if ctx.viewer.is_user(row[0]):
        raise Invalid.field(field, "one cannot write to oneself")
    return int(row[0])


async def send(ctx: Context, receiver_id: int, content: str) -> Message:
    row = await ctx.db.one(
        """
        insert into messages (site_id, sender_id, receiver_id, content, created_at)
        values (:site_id, :me, :receiver, :content, :now) returning id
        """,
        {**_me(ctx), "receiver": receiver_id, "content": content, "now": ctx.now},
    )
    message_id = int(row[0]) if row else 0
    # Always in the order of the parties' ids, so that two who write to each other cannot lock each other out.
    halves = [(ctx.viewer.user_id, receiver_id, 0), (receiver_id, ctx.viewer.user_id, 1)]
    for user_id, partner_id, unread in sorted(halves):
        await ctx.db.run(
            "insert into mailbox (site_id, user_id, partner_id, message_id, unread)"
            " values (:site_id, :user, :partner, :id, :unread)",
            {"site_id": ctx.site_id, "user": user_id, "partner": partner_id, "id": message_id, "unread": unread},
        )
    return (await find(ctx, message_id))[0]


async def edit(ctx: Context, message_id: int, content: str) -> None:
    await ctx.db.run(
        "update messages set content = :content where site_id = :site_id and id = :id",
        {"site_id": ctx.site_id, "id": message_id, "content": content},
    )


async def remove(ctx: Context, message: Message) -> None:
    """Remove a message for both parties."""
    params: dict[str, Any] = {"site_id": ctx.site_id, "id": message.id}
    for user_id in sorted((message.sender.id, message.receiver.id)):
        await ctx.db.run(
            "delete from mailbox where site_id = :site_id and user_id = :user and message_id = :id",
            {**params, "user": user_id},
        )
    await ctx.db.run("delete from messages where site_id = :site_id and id = :id", params)


async def hide(ctx: Context, message_id: int) -> None:
    """Remove a message for the caller alone."""
    await ctx.db.run(
        "delete from mailbox where site_id = :site_id and user_id = :me and message_id = :id",
        {**_me(ctx), "id": message_id},
    )


async def list_conversations(ctx: Context, query: ListConversations) -> Page[Conversation]:
    rows = await ctx.db.all(
        f"""
        select {COLUMNS}, partners.id, partners.username, online.last_seen_at, conversations.unread
        from conversations
            join messages on messages.site_id = conversations.site_id and messages.id = conversations.last_message_id
            {PARTIES}
            join users as partners
                on partners.site_id = conversations.site_id and partners.id = conversations.partner_id
            left join online on online.site_id = partners.site_id and online.user_id = partners.id
        where conversations.site_id = :site_id and conversations.user_id = :me
        order by conversations.last_message_id desc {WINDOW}
        """,
        {**_me(ctx), **query.window},
    )
    total = await ctx.db.one("select partners from mailbox_totals where site_id = :site_id and user_id = :me", _me(ctx))
    return Page.of([_conversation(ctx, row) for row in rows], total[0] if total else 0, query)


async def count_unread(ctx: Context) -> int:
    row = await ctx.db.one("select unread from mailbox_totals where site_id = :site_id and user_id = :me", _me(ctx))
    return int(row[0]) if row else 0


def _me(ctx: Context) -> dict[str, Any]:
    return {"site_id": ctx.site_id, "me": ctx.viewer.user_id}


def _message(ctx: Context, row: Row) -> Message:
    message_id, content, sender_id, sender, receiver_id, receiver, created_at = row[:7]
    return Message(
        message_id,
        content,
        reference(ctx, sender_id, sender),
        reference(ctx, receiver_id, receiver),
        iso(created_at),
    )


def _conversation(ctx: Context, row: Row) -> Conversation:
    partner_id, username, last_seen_at, unread = row[7:]
    partner = reference(ctx, partner_id, username)
    last = _message(ctx, row)
    return Conversation(
        id=partner.id,
        username=partner.username,
        avatar=partner.avatar,
        is_online=is_online(ctx, last_seen_at),
        last_message=last,
        unread_count=unread,
        updated_at=last.created_at,
    )
