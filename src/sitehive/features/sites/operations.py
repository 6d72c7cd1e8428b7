"""What can be done with sites over the interface. Making and removing them is the operator's: see `provision`."""

from sitehive.features.sites import store
from sitehive.features.sites.types import OneSite, Site
from sitehive.kernel.access import visitor
from sitehive.kernel.context import Context
from sitehive.kernel.operation import operation


@operation("sites.list", "GET /sites", access=visitor)
async def list_sites(ctx: Context) -> list[Site]:
    """List the sites that the caller owns.

    Guests own none.
    """
    return [] if ctx.viewer.is_guest else await store.list_owned(ctx)


@operation("sites.get", "GET /sites/{id}", access=visitor)
async def get_site(ctx: Context, wanted: OneSite) -> Site:
    """Read the site that the credential belongs to."""
    return await store.find(ctx, wanted.id)
