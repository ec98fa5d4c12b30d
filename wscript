# SPDX-License-Identifier: GPL-2.0-only
# For ns-3 trees older than 3.36. The lists of sources stand in CMakeLists.txt alone and are read from there.
import os
import re

MODULES = ['core', 'network', 'traffic-control', 'internet', 'point-to-point', 'applications']
PROGRAM_MODULES = ['fabric', 'internet-apps', 'csma']


def read_list(folder, name):
    with open(os.path.join(folder, 'CMakeLists.txt')) as text:
        body = re.search(r'^set\(%s$(.*?)^\)' % name, text.read(), re.MULTILINE | re.DOTALL).group(1)
    return re.sub(r'#.*', '', body).split()


def build(bld):
    root = bld.path.abspath()
    headers = read_list(root, 'FABRIC_HEADERS')
    includes = sorted(set(os.path.dirname(header) for header in headers)) + ['test', 'test/support']

    module = bld.create_ns3_module('fabric', MODULES)
    module.source = read_list(root, 'FABRIC_SOURCES')
    module.includes = includes

    test = bld.create_ns3_module_test_library('fabric')
    test.source = read_list(root, 'FABRIC_TEST_SOURCES')
    test.includes = includes

    public = bld(features='ns3header')
    public.module = 'fabric'
    public.source = headers

    if bld.env['ENABLE_EXAMPLES']:
        programs = [('fabric-' + name, 'examples/fabric-%s.cc' % name)
                    for name in read_list(root, 'FABRIC_EXAMPLES')]
        programs += [('fabric-tutorial-' + name, 'examples/tutorial/%s.cc' % name)
                     for name in read_list(root, 'FABRIC_TUTORIAL')]
        programs += [(name, 'utils/%s.cc' % name) for name in read_list(root, 'FABRIC_BENCHMARKS')]
        for name, source in programs:
            program = bld.create_ns3_program(name, PROGRAM_MODULES)
            program.source = [source]
