#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The programs that ns-3's test.py runs, with options that make them short.

Each entry is (command line, whether to run it, whether to run it under valgrind).
"""

cpp_examples = [
    ("fabric-ack-overhead --hosts=8 --duration=20us --check", "True", "False"),
    ("fabric-allreduce --k=4 --check", "True", "False"),
    ("fabric-allreduce --k=4 --by=host --interval=2us --check", "True", "False"),
    ("fabric-chain --sources=2,1 --duration=100us --check", "True", "False"),
    ("fabric-allreduce --k=4 --by=switch --check", "True", "False"),
    ("fabric-collectives --k=4 --bytes=64KiB --check", "True", "True"),
    ("fabric-collectives --k=4 --hosts=11 --collective=allreduce-tree --transport=switch --bytes=64KiB --check", "True", "False"),
    ("fabric-collectives --k=4 --hosts=11 --collective=allreduce-double-tree --pieces=3 --bytes=20000 --check", "True", "False"),
    ("fabric-collectives --k=4 --hosts=5 --jobs=3 --placement=random --bytes=20000 --check", "True", "False"),
    ("fabric-collectives --k=4 --onlyJobs=1 --jobs=3 --placement=spread --bytes=20000 --check", "True", "False"),
    ("fabric-collectives --k=4 --hosts=7 --collective=halo3d --transport=rt --bytes=20000 --check", "True", "False"),
    ("fabric-collectives --k=4 --hosts=5 --collective=alltoall --transport=tcp --bytes=20000 --check", "True", "False"),
    ("fabric-collectives --topology=torus --collective=broadcast --transport=pio --bytes=20000 --check", "True", "False"),
    ("fabric-congestion --k=4 --senders=8 --bytes=256KiB --check", "True", "True"),
    ("fabric-crossbar --ports=16 --duration=20us --check", "True", "True"),
    ("fabric-first", "True", "False"),
    ("fabric-congestion --k=4 --senders=8 --bytes=64KiB --fabric=trim --check", "True", "False"),
    ("fabric-gpcnet --k=4 --iterations=4 --rings=1 --check", "True", "False"),
    ("fabric-incast --k=4 --senders=8 --bytes=64KiB --check", "True", "True"),
    ("fabric-ingress-fairness --k=4 --flows=1,20 --ratio=3,1 --check", "True", "False"),
    ("fabric-multicast --k=4 --members=9 --check", "True", "False"),
    ("fabric-multicast --topology=dragonfly --members=30 --check", "True", "False"),
    ("fabric-nic --queues=2 --load=10 --duration=50us --check", "True", "False"),
    ("fabric-nic --load=10 --loss=0.01 --retryTimeout=10us --duration=100us --check", "True", "False"),
    ("fabric-nic --operation=tagged --bytes=40000 --entries=3 --duration=50us --check", "True", "False"),
    ("fabric-permutation --k=4 --bytes=64KiB --check", "True", "False"),
    ("fabric-permutation --k=4 --pattern=uniform --bytes=16KiB --load=0.5 --transport=tcp --check", "True", "False"),
    ("fabric-pio --blocks=16 --contexts=2 --senders=4 --duration=50us --check", "True", "False"),
    ("fabric-preemption --duration=200us --check", "True", "False"),
    ("fabric-run --k=4 --cdf=hadoop --load=0.3 --arrivalTime=50us --check", "True", "True"),
    ("fabric-run --k=4 --cdf=hadoop --load=0.3 --arrivalTime=50us --transport=rt --congestionControl=dcqcn --check", "True", "False"),
    ("fabric-run --k=4 --cdf=hadoop --load=0.3 --arrivalTime=50us --transport=pio --check", "True", "False"),
    ("fabric-run --k=4 --cdf=hadoop --load=0.3 --arrivalTime=50us --transport=tcp --check", "True", "False"),
    ("fabric-shaping --duration=200us --check", "True", "False"),
    ("fabric-shaping --via=link --flowChannels=off --duration=100us --check", "True", "False"),
    ("fabric-switch-latency --check", "True", "False"),
    ("fabric-tcp", "True", "False"),
    ("fabric-transport --senders=4 --bytes=64KiB --loss=0.02 --check", "True", "False"),
    ("fabric-tutorial-all-to-all --k=4 --bytes=4KiB --check", "True", "False"),
    ("fabric-tutorial-ranks", "True", "False"),
    ("fabric-tutorial-ring", "True", "False"),
    ("fabric-tutorial-tcp", "True", "False"),
    ("fabric-tutorial-trace", "True", "False"),
    ("fabric-vl-arbitration --mode=group --duration=200us --check", "True", "False"),
]

python_examples = []
