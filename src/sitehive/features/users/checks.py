"""What must be true of the users at rest: each statement answers the rows for which it is not."""

CHECKS = {
    "the numbers of users are right": """
        select site_id, type, level from (
            select site_id, type, level, n from user_counts
            union all
            select site_id, type, level, -1 from users
        ) as counted
        group by site_id, type, level having sum(n) <> 0
    """,
}
