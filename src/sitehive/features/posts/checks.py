"""What must be true of the posts at rest: each statement answers the rows for which it is not."""

from sitehive.features.posts.ranks import SPANS

_RANKED = " union all ".join(
    f"select site_id, {forum}, status, {span}, id >> {span}, -1 from posts"
    for span in SPANS
    for forum in (-1, "forum_id")
)

CHECKS = {
    "the numbers of posts are right": """
        select site_id, a, b, c from (
            select site_id, a, b, c, n from tallies where list = 'posts'
            union all
            select site_id, forum_id, owner_id, status, -1 from posts
            union all
            select site_id, -1, owner_id, status, -1 from posts
        ) as counted
        group by site_id, a, b, c having sum(n) <> 0
    """,
    "the ranks of posts are right": f"""
        select site_id, forum_id, status, span, bucket from (
            select site_id, forum_id, status, span, bucket, n from post_ranks union all {_RANKED}
        ) as counted
        group by site_id, forum_id, status, span, bucket having sum(n) <> 0
    """,
    "every post can be found": """
        select posts.site_id, posts.id from posts left join posts_search on posts_search.rowid = posts.id
        where posts_search.rowid is null
    """,
}
