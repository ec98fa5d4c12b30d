/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FIELD_ATTRIBUTE_H
#define FABRIC_FIELD_ATTRIBUTE_H

#include "fabric-exact-time-value.h"
#include "fabric-types.h"

#include "ns3/attribute.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/nstime.h"
#include "ns3/object-base.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ns3::fabric
{

/**
 * A time that does not depend on ns-3's resolution. Types are registered when the library is
 * loaded, and ns-3 counts nanoseconds then: PicoSeconds(1) would be 0 as a bound, and 14,793 ps as
 * a default 14 ns.
 */
struct ExactTime
{
    /// @param picoseconds the time, ps
    constexpr ExactTime(TimePs picoseconds)
        : ps(picoseconds)
    {
    }

    /// @param time the same at any resolution: whole nanoseconds
    ExactTime(const Time& time)
        : ps(time.GetPicoSeconds())
    {
    }

    TimePs ps; ///< The time, ps.
};

/// What users see of a field. @tparam F its type
template <typename F>
using ShownAs = std::conditional_t<std::is_same_v<F, TimePs>, ExactTime, F>;

/**
 * @tparam F type of a field
 * @return an attribute's value of the kind that holds it; a time in ps is a Time for users
 */
template <typename F>
auto
MakeFieldValue(const F& field)
{
    if constexpr (std::is_same_v<F, bool>)
    {
        return BooleanValue(field);
    }
    else if constexpr (std::is_same_v<F, TimePs>)
    {
        return TimeValue(PicoSeconds(field));
    }
    else if constexpr (std::is_same_v<F, Time>)
    {
        return TimeValue(field);
    }
    else if constexpr (std::is_same_v<F, std::string>)
    {
        return StringValue(field);
    }
    else if constexpr (std::is_same_v<F, double>)
    {
        return DoubleValue(field);
    }
    else if constexpr (std::is_enum_v<F>)
    {
        return EnumValue(field); // a template from ns-3 3.41 on, and no template before
    }
    else
    {
        static_assert(std::is_unsigned_v<F>, "a field of another kind has no attribute");
        return UintegerValue(field);
    }
}

/**
 * Writes an attribute into a field of the settings that an object holds, and reads it there: ns-3's
 * own accessors reach direct members only.
 *
 * @tparam T object with the attribute, or a class that it inherits
 * @tparam Path pointers to members: settings of the object, then parts of them
 */
template <typename T, typename... Path>
class FieldAccessor : public AttributeAccessor
{
  public:
    /// Is called after a change.
    using Changed = void (T::*)();

    /// @param changed is called after each change; null for nothing
    FieldAccessor(Changed changed, Path... path)
        : m_changed(changed),
          m_path(path...)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto* owner = dynamic_cast<T*>(object);
        const auto* given = dynamic_cast<const Value*>(&value);
        if (!owner || !given)
        {
            return false;
        }
        if constexpr (std::is_same_v<Field, TimePs>)
        {
            FieldOf(*owner) = ExactTimeValue::PicoSecondsOf(*given);
        }
        else if constexpr (std::is_same_v<Field, Time>)
        {
            FieldOf(*owner) = PicoSeconds(ExactTimeValue::PicoSecondsOf(*given));
        }
        else
        {
            FieldOf(*owner) = static_cast<Field>(given->Get());
        }
        if (m_changed)
        {
            (owner->*m_changed)();
        }
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto* owner = dynamic_cast<const T*>(object);
        auto* wanted = dynamic_cast<Value*>(&value);
        if (!owner || !wanted)
        {
            return false;
        }
        *wanted = MakeFieldValue<Field>(FieldOf(*owner));
        return true;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    /// @return the field of an object
    template <typename Owner>
    auto& FieldOf(Owner& owner) const
    {
        return std::apply(
            [&owner](auto... member) -> auto& { return (owner.*....*member); },
            m_path);
    }

    using Field = std::decay_t<decltype((std::declval<T&>().*....*std::declval<Path>()))>;
    using Value = decltype(MakeFieldValue(std::declval<Field>()));

    Changed m_changed;          ///< Is called after a change.
    std::tuple<Path...> m_path; ///< To the field.
};

/**
 * @param changed member of the object's class, is called after each change
 * @param path pointers to members: settings of the object, then parts of them
 * @return an accessor of the field at the end of the path
 */
template <typename T, typename... Path>
Ptr<const AttributeAccessor>
MakeFieldAccessor(void (T::*changed)(), Path... path)
{
    return Ptr<const AttributeAccessor>(new FieldAccessor<T, Path...>(changed, path...), false);
}

/**
 * @param settings member of the object
 * @param path pointers to members: parts of the settings
 * @return an accessor of the field at the end of the path
 */
template <typename T, typename Settings, typename... Path>
Ptr<const AttributeAccessor>
MakeFieldAccessor(Settings T::*settings, Path... path)
{
    using Accessor = FieldAccessor<T, Settings T::*, Path...>;
    return Ptr<const AttributeAccessor>(new Accessor(nullptr, settings, path...), false);
}

} // namespace ns3::fabric

#endif // FABRIC_FIELD_ATTRIBUTE_H
