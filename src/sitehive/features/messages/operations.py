"""What can be done with messages. Only the two parties can; no level opens somebody else's."""

from msgspec import UNSET

from sitehive.features.messages import store
from sitehive.features.messages.types import (
    Conversation,
    EditMessage,
    ListConversations,
    ListMessages,
    Message,
    OneMessage,
    SendMessage,
    Unread,
)
from sitehive.kernel.access import login, require
from sitehive.kernel.context import Context
from sitehive.kernel.operation import operation
from sitehive.kernel.paging import Page


@operation("messages.send", "POST /messages", access=login, status=201)
async def send_message(ctx: Context, new: SendMessage) -> Message:
    """Write to another user."""
    receiver_id = await store.find_receiver(ctx, new)
    return await store.send(ctx, receiver_id, new.content)


@operation("messages.list", "GET /messages", access=login)
async def list_messages(ctx: Context, query: ListMessages) -> Page[Message]:
    """List the caller's messages.

    With `userid`: those between the caller and that user, oldest first, which marks them as read. Without: all of them,
    newest first.
    """
    if query.userid is UNSET:
        return await store.list_(ctx, query)
    partner_id = query.userid
    unread, latest = await store.unread_with(ctx, partner_id)
    page = await store.list_(ctx, query)
    if unread:
        await ctx.write(lambda inside: store.mark_read(inside, partner_id, latest))
    return page


@operation("messages.get", "GET /messages/{id}", access=login)
async def get_message(ctx: Context, wanted: OneMessage) -> Message:
    """Read a message, which marks it as read."""
    message, unread = await store.find(ctx, wanted.id)
    if unread:
        await ctx.write(lambda inside: store.mark_read(inside, message.sender.id, message.id, start=message.id))
    return message


@operation("messages.update", "PATCH /messages/{id}", access=login)
async def edit_message(ctx: Context, change: EditMessage) -> Message:
    """Change the text of a message. Only its sender may."""
    message, _ = await store.find(ctx, change.id)
    require(ctx.viewer.is_user(message.sender.id), "Only its sender may edit a message.")
    if change.content is not UNSET:
        await store.edit(ctx, message.id, change.content)
    return (await store.find(ctx, message.id))[0]


@operation("messages.delete", "DELETE /messages/{id}", access=login)
async def delete_message(ctx: Context, wanted: OneMessage) -> None:
    """Delete a message.

    The sender removes it for both; the receiver only for themselves.
    """
    message, _ = await store.find(ctx, wanted.id)
    if ctx.viewer.is_user(message.sender.id):
        await store.remove(ctx, message)
    else:
        await store.hide(ctx, message.id)


@operation("messages.conversations", "GET /conversations", access=login)
async def list_conversations(ctx: Context, query: ListConversations) -> Page[Conversation]:
    """List whom the caller has exchanged messages with, the latest first."""
    return await store.list_conversations(ctx, query)


@operation("messages.unread", "GET /conversations/unread", access=login)
async def count_unread(ctx: Context) -> Unread:
    """Count the caller's unread messages."""
    return Unread(await store.count_unread(ctx))
