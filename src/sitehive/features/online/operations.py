"""What can be asked about who is online."""

from sitehive.features.online import store
from sitehive.features.online.types import ListOnline, Visitor
from sitehive.kernel.access import visitor
from sitehive.kernel.context import Context
from sitehive.kernel.operation import operation
from sitehive.kernel.paging import Page


@operation("users.online", "GET /online", access=visitor)
async def list_online(ctx: Context, query: ListOnline) -> Page[Visitor]:
    """List who was here in the last few minutes, guests included."""
    return await store.list_(ctx, query)
