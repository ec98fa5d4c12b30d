/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-group-meters.h"
#include "fabric-test-compat.h"
#include "fabric-time-units.h"
#include "fabric-wide-integer.h"

#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Picoseconds of a microsecond.
/// 100 Gb/s: a byte lasts 80 ps, and 800 ps at 10 %.
const LinkRate LINK(100'000'000'000);

/// One meter with its rule.
class Meter
{
  public:
    /// A meter that has seen no traffic.
    Meter(const MeterSettings& settings, uint32_t share, const LinkRate& rate)
        : m_rule(settings, share, rate),
          m_meters(m_memory, settings.kind, 1)
    {
        m_meters.Begin(0, 1, m_rule);
    }

    TimePs ConformsAt() const
    {
        return m_meters.ConformsAt(0, 1, m_rule);
    }

    bool IsConforming(TimePs now) const
    {
        return now >= ConformsAt();
    }

    /// Charges a packet. @return from when on it conforms
    TimePs Charge(uint32_t bytes, TimePs now)
    {
        return m_meters.Charge(0, 1, m_rule, bytes, now);
    }

    void ChargeTrain(const FlitTrain& train)
    {
        m_meters.ChargeTrain(0, 1, m_rule, train);
    }

    /// @return bytes for which the answer is the same as at the first
    uint32_t BytesAlike(const FlitTrain& train, bool charged) const
    {
        return m_meters.BytesAlike(0, 1, m_rule, train, charged);
    }

  private:
    MeterRule m_rule;        ///< Its rule.
    LineMemory m_memory{64}; ///< Where it stands.
    GroupMeters m_meters;    ///< It alone.
};

/// @return a meter with these settings
std::unique_ptr<Meter>
MakeMeter(const MeterSettings& settings, uint32_t share, const LinkRate& rate)
{
    return std::make_unique<Meter>(settings, share, rate);
}

/// @return a meter of this kind with default settings
std::unique_ptr<Meter>
Make(MeterKind kind, uint32_t percent = 10, const LinkRate& rate = LINK)
{
    MeterSettings settings;
    settings.kind = kind;
    return MakeMeter(settings, percent * 100, rate);
}

/// @return bytes of packets of 1000 B that are sent as conforming, as fast as the link can
uint64_t
SendBurst(Meter& meter, TimePs from, TimePs until)
{
    uint64_t bytes = 0;
    for (TimePs now = from; now < until; now += LINK.TxTime(1000))
    {
        if (meter.IsConforming(now))
        {
            meter.Charge(1000, now);
            bytes += 1000;
        }
    }
    return bytes;
}

/// What three meters make of the same traffic: silence, then as much as the link carries.
void
TestSideBySide(FunctionCase& test)
{
    // 10 % of 100 Gb/s; the window of 1 MiB lasts 83.9 us and lets 104,857 B pass.
    const auto bucket = Make(TOKEN_BUCKET);
    const auto leaky = Make(LEAKY_BUCKET);
    const auto window = Make(SLIDING_WINDOW);
    const TimePs begin = 1000 * US;
    // At first: 16,384 B and 10,000 B that flow in; one packet in ten; the whole window.
    test.Expect(SendBurst(*bucket, begin, begin + 8 * US) == 27'000,
                "a token bucket lets its burst pass at once, and then its rate");
    test.Expect(SendBurst(*leaky, begin, begin + 8 * US) == 10'000,
                "a leaky bucket is even from the beginning");
    test.Expect(SendBurst(*window, begin, begin + 8 * US) == 100'000,
                "a sliding window lets all pass until it is full");
    // Later on all come to 10 %.
    for (Meter* meter : {bucket.get(), leaky.get(), window.get()})
    {
        SendBurst(*meter, begin + 8 * US, begin + 1000 * US);
        const uint64_t bytes = SendBurst(*meter, begin + 1000 * US, begin + 101'000 * US);
        test.Expect(bytes > 124'000'000 && bytes < 126'300'000,
                    "in the long run 10 % of 1.25 GB, not " + std::to_string(bytes));
    }
}

/// Buckets are exact for hours with a rate that no fraction of a picosecond fits.
void
TestNoDrift(FunctionCase& test)
{
    // 37.51 % of 3,000,000,019 bit/s: a byte lasts 8e16 / 3751 / 3000000019 ps.
    const LinkRate rate(3'000'000'019);
    const uint32_t share = 3751;
    const uint64_t shareRate = share * rate.BitsPerSecond();
    MeterSettings settings;
    settings.kind = LEAKY_BUCKET;
    const auto meter = MakeMeter(settings, share, rate);
    WideUint charged = 0;
    std::mt19937_64 random(1);
    for (uint32_t i = 0; i < 1'000'000; ++i)
    {
        const uint32_t bytes = 1 + random() % 60'000;
        // Just before the bucket is empty, so that no part of a picosecond is lost.
        meter->Charge(bytes, i == 0 ? 0 : meter->ConformsAt() - 1);
        charged += bytes;
    }
    const WideUint parts = charged * 80'000'000'000'000'000ULL;
    const auto exact = static_cast<TimePs>((parts + shareRate - 1) / shareRate);
    test.Expect(meter->ConformsAt() == exact,
                "a million packets in " + std::to_string(exact / 1'000'000'000'000) +
                    " s, off by " + std::to_string(meter->ConformsAt() - exact) + " ps");
}

/// Packets that do not conform are charged up to a debt.
void
TestDebt(FunctionCase& test)
{
    for (const MeterKind kind : {TOKEN_BUCKET, LEAKY_BUCKET})
    {
        const auto meter = Make(kind);
        for (uint32_t i = 0; i < 1000; ++i)
        {
            meter->Charge(4000, 0);
        }
        const TimePs behind = meter->ConformsAt();
        test.Expect(behind >= 65536 * 800 && behind <= 65536 * 800 + 1,
                    "conforms when 64 KiB have been made up for, not at " + std::to_string(behind));
    }
    MeterSettings settings;
    settings.debt = 0;
    const auto meter = MakeMeter(settings, 1000, LINK);
    meter->Charge(20'000, 0);
    const TimePs before = meter->ConformsAt();
    meter->Charge(20'000, 0);
    test.Expect(meter->ConformsAt() == before && before == (20'000 - 16'384) * 800 + 1,
                "without debt what does not conform does not count");
}

/// Packets that start exactly when a bucket without debt conforms again have their share, no more.
void
TestNoDebt(FunctionCase& test)
{
    MeterSettings settings;
    settings.kind = LEAKY_BUCKET;
    settings.tolerance = 0;
    settings.debt = 0;
    for (const uint64_t rate : {100'000'000'000ULL, 99'999'999'999ULL}) // exact in ps, and not
    {
        const auto meter = MakeMeter(settings, 1000, LinkRate(rate));
        TimePs now = 0;
        for (uint32_t i = 0; i < 1000; ++i)
        {
            meter->Charge(1000, now);
            now = meter->ConformsAt();
        }
        const double exact = 1e6 * 8e12 / (0.1 * static_cast<double>(rate));
        test.ExpectNear(static_cast<double>(now), exact, 1000, "a tenth of the link");
    }
}

/// ConformsAt() is the first time.
void
TestConformsAt(FunctionCase& test)
{
    for (const MeterKind kind : {TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW})
    {
        std::mt19937_64 random(kind);
        const auto meter = Make(kind, 10);
        TimePs now = 0;
        for (uint32_t i = 0; i < 100'000; ++i)
        {
            now += random() % 20'000;
            meter->Charge(random() % 2000, now);
            const TimePs at = meter->ConformsAt();
            const bool isFirst =
                at <= now || (meter->IsConforming(at) && !meter->IsConforming(at - 1));
            test.Expect(isFirst && meter->IsConforming(now) == (at <= now),
                        "meter " + std::to_string(kind) + ", packet " + std::to_string(i));
            now = std::max(now, random() % 2 == 0 ? at : now);
        }
        const auto never = Make(kind, 0);
        test.Expect(never->ConformsAt() == NEVER, "a share of 0 never conforms");
        never->Charge(100, 5);
        test.Expect(never->ConformsAt() == NEVER, "also when charged");
    }
}

/// Trains of flits come to the same as flits.
void
TestTrains(FunctionCase& test)
{
    for (const MeterKind kind : {TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW})
    {
        std::mt19937_64 random(kind);
        const auto byTrain = Make(kind, 20);
        const auto byFlit = Make(kind, 20);
        TimePs now = 0;
        for (uint32_t i = 0; i < 2000; ++i)
        {
            now += random() % 3 == 0 ? random() % 2'000'000 : 0;
            const auto bytes = static_cast<uint32_t>(1 + random() % 9000);
            const FlitTrain train{now, 0, bytes, 8, LINK};
            const bool isCharged = byFlit->IsConforming(now) || random() % 2 == 0;
            const uint32_t alike = byTrain->BytesAlike(train, isCharged);
            const bool isConforming = byFlit->IsConforming(now);
            uint32_t sent = 0;
            while (sent < bytes && byFlit->IsConforming(train.FlitTime(sent)) == isConforming)
            {
                const uint32_t flit = std::min(8U, bytes - sent);
                if (isCharged)
                {
                    byFlit->Charge(flit, train.FlitTime(sent));
                }
                sent += flit;
            }
            if (isCharged)
            {
                byTrain->ChargeTrain({now, 0, alike, 8, LINK});
            }
            test.Expect(alike == sent && byTrain->ConformsAt() == byFlit->ConformsAt(),
                        "meter " + std::to_string(kind) + ", train " + std::to_string(i) + ": " +
                            std::to_string(alike) + " and " + std::to_string(sent) + " bytes");
            now = train.FlitTime(sent);
        }
    }
}

/// Bad settings end in a sentence.
void
TestBadSettings(FunctionCase& test)
{
    const auto refuses = [&test](const MeterSettings& settings,
                                 uint32_t share,
                                 const LinkRate& rate,
                                 const std::string& part) {
        try
        {
            MakeMeter(settings, share, rate);
            test.Expect(false, "refuses: " + part);
        }
        catch (const std::invalid_argument& error)
        {
            test.Expect(std::string(error.what()).find(part) != std::string::npos, error.what());
        }
    };
    refuses({}, 10'001, LINK, "share (1/100 %) is 10001, allowed is 0 to 10000");
    refuses({}, 1, LinkRate(), "rate is 0, allowed is 10000");
    refuses({TOKEN_BUCKET, 0}, 1, LINK, "burst is 0, allowed is 1");
    refuses({LEAKY_BUCKET, 1, 2'000'000'000}, 1, LINK, "tolerance is 2000000000, allowed is 0");
    refuses({LEAKY_BUCKET, 1, 0, 2'000'000'000}, 1, LINK, "debt is 2000000000, allowed is 0");
    refuses({TOKEN_BUCKET, 1'000'000'000}, 1, LinkRate(10'000), "takes more than 10^6 s");
    refuses({SLIDING_WINDOW, 1, 0, 0, -1}, 1, LINK, "allowed are 0 to 10^15 ps");
    refuses({SLIDING_WINDOW, 1, 0, 0, 1000}, 1, LINK, "allowed is a longer window");
}

/// Bandwidth meters.
class BandwidthMeterSuite : public FunctionSuite
{
  public:
    BandwidthMeterSuite()
        : FunctionSuite("fabric-bandwidth-meter", kUnit)
    {
        Add("VA-13 three meters on the same bursts: burst, even, window; 10 % in the long run",
            TestSideBySide);
        Add("VA-2 buckets are exact over hours", TestNoDrift);
        Add("VA-8 what is charged above the share is bounded by a debt", TestDebt);
        Add("VA-8 a bucket without debt, charged when it just conforms", TestNoDebt);
        Add("VA-2 a meter tells when it conforms again, to the picosecond", TestConformsAt);
        Add("VA-7 meters look ahead over trains of flits as if flit by flit", TestTrains);
        Add("VA-2 bad settings of a meter are one sentence", TestBadSettings);
    }
};

BandwidthMeterSuite g_bandwidthMeterSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
