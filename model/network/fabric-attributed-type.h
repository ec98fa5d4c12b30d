/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ATTRIBUTED_TYPE_H
#define FABRIC_ATTRIBUTED_TYPE_H

#include "fabric-field-attribute.h"
#include "fabric-time-checker.h"

#include "ns3/type-id.h"

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ns3::fabric
{

/// Attributes with this may be set until ports, arbiters or tables are made of them, and not after.
constexpr uint32_t BEFORE_INSTALL = TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT;

/// What ns-3 counts until its resolution is set, ps.
constexpr TimePs PS_PER_NS = 1000;

/// What an attribute may be, by default anything. @tparam V a number
template <typename V>
struct ValueRange
{
    V lowest{std::numeric_limits<V>::lowest()}; ///< It may be this,
    V highest{std::numeric_limits<V>::max()};   ///< or this.
};

/// What a time may be.
template <>
struct ValueRange<Time>
{
    Time lowest{Time::Min()};  ///< It may be this,
    Time highest{Time::Max()}; ///< or this.
};

/// What a time in ps may be.
template <>
struct ValueRange<ExactTime>
{
    ExactTime lowest{std::numeric_limits<TimePs>::lowest()}; ///< It may be this,
    ExactTime highest{std::numeric_limits<TimePs>::max()};   ///< or this.
};

/// Either may be.
template <>
struct ValueRange<bool>
{
};

/// What a text may say is known to who reads it.
template <>
struct ValueRange<std::string>
{
};

/**
 * @tparam V kind of value
 * @return a checker of its own for one attribute, since ns-3's factories tell the values that they
 * keep apart by them
 */
template <typename V>
Ptr<const AttributeChecker>
MakeFieldChecker([[maybe_unused]] const ValueRange<V>& range)
{
    if constexpr (std::is_same_v<V, bool>)
    {
        return MakeBooleanChecker();
    }
    else if constexpr (std::is_same_v<V, std::string>)
    {
        return MakeStringChecker();
    }
    else if constexpr (std::is_same_v<V, Time>)
    {
        const ExactTime lowest =
            range.lowest == Time::Min() ? ValueRange<ExactTime>().lowest : ExactTime(range.lowest);
        const ExactTime highest = range.highest == Time::Max() ? ValueRange<ExactTime>().highest
                                                               : ExactTime(range.highest);
        return Create<TimeChecker>(lowest.ps, highest.ps);
    }
    else if constexpr (std::is_same_v<V, ExactTime>)
    {
        return Create<TimeChecker>(range.lowest.ps, range.highest.ps);
    }
    else if constexpr (std::is_same_v<V, double>)
    {
        return MakeDoubleChecker<double>(range.lowest, range.highest);
    }
    else
    {
        return MakeUintegerChecker<V>(range.lowest, range.highest);
    }
}

/// Whether a path whose last step this is leads to settings with members of an owner.
template <typename Owner, typename Last>
constexpr bool LEADS_TO = false;

/// As above.
template <typename Owner, typename Settings, typename T>
constexpr bool LEADS_TO<Owner, Settings T::*> = std::is_base_of_v<Owner, Settings>;

/// Whether a member is one of an owner.
template <typename Owner, typename Member>
constexpr bool IS_OF = false;

/// As above.
template <typename Owner, typename F>
constexpr bool IS_OF<Owner, F Owner::*> = true;

/**
 * A type to which attributes are added, each in two steps: what users read, and the member that it
 * sets, from which the kind of the attribute follows.
 *
 *     return AttributedType(tid, BEFORE_INSTALL, &Owner::m_settings)
 *         .Add("Width", "How wide it is.")
 *         .Sets(&Settings::width, 3, {1, 8})
 *         .Add("Name", "What it is called.")
 *         .Sets(&Owner::m_name, "");
 *
 * @tparam Path as that of MakeFieldAccessor(), to settings in the object
 */
template <typename... Path>
class AttributedType : public TypeId
{
  public:
    /// @param flags when the attributes may be set and read
    explicit AttributedType(TypeId tid, uint32_t flags = ATTR_SGC, Path... path)
        : TypeId(tid),
          m_flags(flags),
          m_path(path...)
    {
    }

    /// An attribute that has a name, and sets nothing yet.
    class Attribute
    {
      public:
        /// @param type gets the attribute @param help for users
        Attribute(const AttributedType& type, std::string name, std::string help)
            : m_type(type),
              m_name(std::move(name)),
              m_help(std::move(help))
        {
        }

        /// @param member of the settings, or else of the object
        template <typename F, typename Owner>
        AttributedType Sets(F Owner::*member,
                            ShownAs<F> initial,
                            const ValueRange<ShownAs<F>>& range = {})
        {
            const auto accessor = m_type.AccessorOf(member);
            const auto checker = MakeFieldChecker(range);
            if constexpr (std::is_same_v<F, TimePs>)
            {
                // A text is read when an object is made, and what it says is not rounded until
                // then.
                return initial.ps % PS_PER_NS != 0
                           ? Uses(StringValue(std::to_string(initial.ps) + "ps"), accessor, checker)
                           : Uses(TimeValue(NanoSeconds(initial.ps / PS_PER_NS)),
                                  accessor,
                                  checker);
            }
            else
            {
                return Uses(MakeFieldValue(initial), accessor, checker);
            }
        }

        /**
         * @param member of the settings, or else of the object
         * @param words name of this value; then other values, each with its name
         */
        template <typename F, typename Owner, typename... Words>
        AttributedType SetsOneOf(F Owner::*member, F initial, Words... words)
        {
            return Uses(MakeFieldValue(initial),
                        m_type.AccessorOf(member),
                        MakeEnumChecker(initial, words...));
        }

        /// @param accessor writes and reads it @param checker of its bounds
        AttributedType Uses(const AttributeValue& initial,
                            Ptr<const AttributeAccessor> accessor,
                            Ptr<const AttributeChecker> checker)
        {
            m_type.AddAttribute(m_name, m_help, m_type.m_flags, initial, accessor, checker);
            return m_type;
        }

      private:
        AttributedType m_type; ///< Gets the attribute.
        std::string m_name;    ///< Of the attribute.
        std::string m_help;    ///< For users.
    };

    /// @param help for users @return the attribute, without an effect
    [[nodiscard]] Attribute Add(std::string name, std::string help) const
    {
        return Attribute(*this, std::move(name), std::move(help));
    }

    /// @param parts each of the one before @return the type, for attributes of the last part
    template <typename... Parts>
    AttributedType<Path..., Parts...> In(Parts... parts) const
    {
        return std::apply(
            [&](auto... path) {
                return AttributedType<Path..., Parts...>(*this, m_flags, path..., parts...);
            },
            m_path);
    }

  private:
    /// @return an accessor of a member of the settings, or else of the object
    template <typename F, typename Owner>
    Ptr<const AttributeAccessor> AccessorOf(F Owner::*member) const
    {
        if constexpr (LEADS_TO<Owner, std::decay_t<decltype((std::declval<Path>(), ...))>>)
        {
            return std::apply([member](auto... path) { return MakeFieldAccessor(path..., member); },
                              m_path);
        }
        else
        {
            using First = std::tuple_element_t<0, std::tuple<Path..., F Owner::*>>;
            static_assert(IS_OF<Owner, First>, "neither of the settings nor of the object");
            return MakeFieldAccessor(member);
        }
    }

    uint32_t m_flags;           ///< When attributes may be set and read.
    std::tuple<Path...> m_path; ///< To settings in the object.
};

} // namespace ns3::fabric

#endif // FABRIC_ATTRIBUTED_TYPE_H
