"""The oracle: a trusted process outside of the sandbox that answers for the reference's earlier labs.

A lab is judged on its own, over right earlier labs; but a submission must never see the reference. So the labs beneath
it are stand-ins, whose functions ask the oracle for what the reference returns or raises.

    questions     which labs are beneath a lab, and which of their functions may be asked
    packets       how messages travel: in numbered pieces, so that one that was broken off spoils none after it
    wire          how arguments leave the sandbox: JSON, for who sends them is hostile
    received      how the trusted side makes values of that
    answers       the way back: pickle, for who sends them is trusted
    conversation  what the oracle does with one connection
    server        the oracle's own process, which forks for each connection
    oracle        `Oracle`, for the main process, and `connect`, for the workers
    standin       what runs inside of the sandbox

All values are copies, but for one thing: where the reference returns, raises or hands on an object that it was given,
the asker gets that very object. So who must copy and does not is found out over stand-ins too.
"""
