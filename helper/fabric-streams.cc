/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-streams.h"

#include "ns3/object-base.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/type-id.h"

namespace ns3::fabric
{

int64_t
AssignStreams(const ObjectBase& object, int64_t stream)
{
    int64_t next = stream;
    bool hasParent = true;
    for (TypeId type = object.GetInstanceTypeId(); hasParent; type = type.GetParent())
    {
        hasParent = type.HasParent();
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            PointerValue value; // an attribute of another kind leaves it as it is
            object.GetAttributeFailSafe(type.GetAttribute(i).name, value);
            const auto variable = value.Get<RandomVariableStream>();
            if (variable && variable->GetStream() < 0)
            {
                variable->SetStream(next++);
            }
        }
    }
    return next - stream;
}

} // namespace ns3::fabric
