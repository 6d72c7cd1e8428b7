"""What must be true of the forums at rest: each statement answers the rows for which it is not."""

CHECKS = {
    "the numbers of forums are right": """
        select site_id, a, b from (
            select site_id, a, b, n from tallies where list = 'forums'
            union all
            select site_id, parent_id, owner_id, -1 from forums where removed_at is null
            union all
            select site_id, -1, owner_id, -1 from forums where removed_at is null
            union all
            select site_id, parent_id, -1, -1 from forums where removed_at is null
            union all
            select site_id, -1, -1, -1 from forums where removed_at is null
        ) as counted
        group by site_id, a, b having sum(n) <> 0
    """,
    "every forum's parent exists": """
        select forums.site_id, forums.id from forums
            left join forums as parents on parents.site_id = forums.site_id and parents.id = forums.parent_id
        where forums.parent_id <> 0 and parents.id is null
    """,
}
