"""What must be true of the messages at rest: each statement answers the rows for which it is not."""

CHECKS = {
    "the numbers of conversations are right": """
        select site_id, user_id, partner_id from (
            select site_id, user_id, partner_id, total, unread, last_message_id from conversations
            union all
            select site_id, user_id, partner_id, -count(*), -sum(unread), -max(message_id) from mailbox
            group by site_id, user_id, partner_id
        ) as counted
        group by site_id, user_id, partner_id
        having sum(total) <> 0 or sum(unread) <> 0 or sum(last_message_id) <> 0
    """,
    "the numbers of messages are right": """
        select site_id, user_id from (
            select site_id, user_id, total, unread, partners from mailbox_totals
            union all
            select site_id, user_id, -total, -unread, -1 from conversations
        ) as counted
        group by site_id, user_id having sum(total) <> 0 or sum(unread) <> 0 or sum(partners) <> 0
    """,
    "every message is in a mailbox, and the other way round": """
        select messages.site_id, messages.id from messages
            left join mailbox on mailbox.site_id = messages.site_id and mailbox.message_id = messages.id
            and mailbox.user_id in (messages.sender_id, messages.receiver_id)
        where mailbox.message_id is null
        union all
        select mailbox.site_id, mailbox.message_id from mailbox
            left join messages on messages.site_id = mailbox.site_id and messages.id = mailbox.message_id
        where messages.id is null
    """,
}
